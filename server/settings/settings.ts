import type { Config } from "../config/config.ts";
import type { JobKind } from "../jobs/jobs.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Seal } from "../lib/seal.ts";
import type { Log } from "../log/log.ts";
import type { Memory } from "../memory/memory.ts";
import type { LiveModels } from "../model/live/live-models.ts";
import type { Projects } from "../project/project.ts";
import type { Profiles } from "../run/profiles.ts";
import type { Secrets } from "../run/secrets.ts";
import type { Store } from "../store/contract.ts";
import { createAttachments } from "../thread/attach/attachments.ts";
import { createDrafts } from "../thread/drafts.ts";
import { createSeen } from "../thread/seen.ts";
import { createTemporaryKind } from "../thread/temporary.ts";
import type { Threads } from "../thread/threads.ts";
import type { Catalogs } from "../tools/catalog.ts";
import { createErasing } from "./erase.ts";
import { createExports } from "./export.ts";
import { createProfileSettings } from "./profiles.ts";
import { createProviderSettings, type ProviderSettings } from "./providers.ts";
import { createShares } from "./shares.ts";

type Options = {
  readonly store: Store;
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly seal: Seal;
  readonly config: Config;
  readonly models: LiveModels;
  readonly threads: Threads;
  readonly projects: Projects;
  readonly memory: Memory;
  readonly profiles: Profiles;
  readonly catalogOf: Catalogs;
  readonly providers: ProviderSettings;
  readonly secrets: Secrets;
  readonly wake: () => void;
};

/** WHAT PEOPLE SET, KEEP, SHARE AND TAKE WITH THEM: the rooms of the settings, and their work in the background. */
export function createSettings(options: Options) {
  const { store, log, clock, ids, seal, threads, projects, memory, providers } = options;
  const erasing = createErasing({ store, log, threads, projects, clock, ids, wake: options.wake });
  const temporary = createTemporaryKind({ read: store.read, threads, clock, ids });
  const attachments = createAttachments({ store, log, threads, clock, ids });
  const kinds: readonly JobKind[] = [erasing.kind, temporary, attachments.kind];
  return {
    kinds,
    rooms: {
      providers,
      profiles: createProfileSettings(options),
      drafts: createDrafts({ store, log, threads, clock }),
      seen: createSeen({ log, threads }),
      shares: createShares({ store, log, seal, threads, secrets: options.secrets, clock }),
      exports: createExports({ store, threads, memory, clock }),
      erasing,
      attachments,
    },
  };
}

/** Before the rest: whoever asks for a model asks with the keys that were set. */
export const createKeys = (
  options: Pick<Options, "store" | "log" | "seal" | "models" | "clock" | "config"> & {
    readonly onError: (error: unknown) => void;
  },
): ProviderSettings =>
  createProviderSettings({
    ...options,
    config: options.config.models,
    allowPrivate: options.config.tools.allowPrivate.model,
  });
