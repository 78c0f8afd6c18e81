import { spine } from "./0001-spine.ts";
import { journal } from "./0002-journal.ts";
import { tools } from "./0003-tools.ts";
import { context } from "./0004-context.ts";
import { ledger } from "./0005-ledger.ts";
import { recall } from "./0006-recall.ts";
import { projects } from "./0007-projects.ts";
import { settings } from "./0008-settings.ts";
import { effort } from "./0009-effort.ts";
import { attachments } from "./0010-attachments.ts";
import { keyOrigins } from "./0011-key-origins.ts";
import { reservations } from "./0012-reservations.ts";
import { attachmentPieces } from "./0013-attachment-pieces.ts";
import { sessions } from "./0014-sessions.ts";
import { handedOver } from "./0015-handed-over.ts";
import { untrusted } from "./0016-untrusted.ts";
import { preferences } from "./0017-preferences.ts";
import { modelSettings } from "./0018-model-settings.ts";
import { attachmentPictures } from "./0019-attachment-pictures.ts";
import { apiKeys } from "./0020-api-keys.ts";
import { apiRequests } from "./0021-api-requests.ts";
import { accounts } from "./0022-accounts.ts";
import { identities } from "./0023-identities.ts";
import { secondFactors } from "./0024-second-factors.ts";
import { push } from "./0025-push.ts";
import { imports } from "./0026-imports.ts";
import { members } from "./0027-members.ts";
import { people } from "./0028-people.ts";
import { receiptIndex } from "./0029-receipt-index.ts";
import { groups } from "./0030-groups.ts";
import { ownKeys } from "./0031-own-keys.ts";
import { modelImages } from "./0032-model-images.ts";

/** Statements that migrate a database from the previous version. */
export type Migration = { readonly sqlite: readonly string[]; readonly postgres: readonly string[] };

/** In order. A database's version is the number of applied steps. Only append. */
export const migrations: readonly Migration[] = [
  spine,
  journal,
  tools,
  context,
  ledger,
  recall,
  projects,
  settings,
  effort,
  attachments,
  keyOrigins,
  reservations,
  attachmentPieces,
  sessions,
  handedOver,
  untrusted,
  preferences,
  modelSettings,
  attachmentPictures,
  apiKeys,
  apiRequests,
  accounts,
  identities,
  secondFactors,
  push,
  imports,
  members,
  people,
  receiptIndex,
  groups,
  ownKeys,
  modelImages,
];
