import type { Erasing } from "../../user-data/erase.ts";
import { createExports, type Exports } from "../../transfer/export/exports.ts";
import type { ApiKeys } from "../../auth/authenticate.ts";
import { createProfileSettings, type ProfileSettings } from "../../settings/profiles.ts";
import { createPreferenceSettings, type PreferenceSettings } from "../../settings/preferences.ts";
import { createPromptSettings, type PromptSettings } from "../../settings/prompts.ts";
import type { Push } from "../../push/push.ts";
import type { ModelSettingsStore } from "../../settings/model-settings.ts";
import type { ProviderSettings } from "../../settings/providers.ts";
import type { Imports } from "../../transfer/import/imports.ts";
import type { Shares } from "../../user-data/shares.ts";
import type { Attachments } from "../../thread/attachments/attachments.ts";
import { createDrafts, type Drafts } from "../../thread/drafts.ts";
import { createReadMarks, type ReadMarks } from "../../thread/read-marks.ts";
import type { Handlers } from "../route-types.ts";

type SettingsRoute =
  | "listProviders"
  | "findLocalServers"
  | "changeModel"
  | "setProviderKey"
  | "removeProviderKey"
  | "setProviderAddress"
  | "removeProviderAddress"
  | "testProvider"
  | "listOwnProviders"
  | "setOwnKey"
  | "removeOwnKey"
  | "testOwnKey"
  | "setOwnKeysAllowed"
  | "listProfiles"
  | "createProfile"
  | "changeProfile"
  | "deleteProfile"
  | "getPreferences"
  | "setPreferences"
  | "listPush"
  | "subscribePush"
  | "unsubscribePush"
  | "testPush"
  | "listPrompts"
  | "createPrompt"
  | "changePrompt"
  | "deletePrompt"
  | "listDrafts"
  | "getDraft"
  | "setDraft"
  | "getFirstDraft"
  | "setFirstDraft"
  | "markSeen"
  | "createShare"
  | "listShares"
  | "revokeShare"
  | "getSharedAsUser"
  | "exportThread"
  | "exportEverything"
  | "deleteEverything"
  | "listImports"
  | "getImport"
  | "decideImport"
  | "removeImport"
  | "listAttachments"
  | "removeAttachment"
  | "listKeys"
  | "createKey"
  | "revokeKey";

export type SettingsDeps = {
  readonly providers: ProviderSettings;
  readonly modelSettings: ModelSettingsStore;
  readonly profiles: ProfileSettings;
  readonly preferences: PreferenceSettings;
  readonly prompts: PromptSettings;
  readonly push: Push;
  readonly drafts: Drafts;
  readonly readMarks: ReadMarks;
  readonly shares: Shares;
  readonly exports: Exports;
  readonly erasing: Erasing;
  readonly imports: Imports;
  readonly attachments: Attachments;
  readonly apiKeys: ApiKeys;
};

type Modules = Parameters<typeof createProfileSettings>[0] &
  Parameters<typeof createDrafts>[0] &
  Parameters<typeof createExports>[0];

/** Modules that only these handlers use. */
export const createSettingsModules = (modules: Modules) => ({
  profiles: createProfileSettings(modules),
  preferences: createPreferenceSettings(modules),
  prompts: createPromptSettings(modules),
  drafts: createDrafts(modules),
  readMarks: createReadMarks(modules),
  exports: createExports(modules),
});

/** The user's own settings, drafts, shares, keys, exports and attachments. Given threads must belong to the user. */
export function createSettingsHandlers(deps: SettingsDeps): Pick<Handlers, SettingsRoute> {
  const {
    providers,
    profiles,
    preferences,
    prompts,
    drafts,
    readMarks,
    shares,
    exports,
    imports,
    erasing,
    attachments,
  } = deps;
  const { ownKeys } = providers;
  return {
    listProviders: () => providers.list(),
    findLocalServers: () => providers.findLocal(),
    changeModel: ({ principal, body }) => deps.modelSettings.change(principal, body),
    setProviderKey: ({ principal, params, body }) => providers.setKey(principal, params.provider, body.key),
    removeProviderKey: ({ principal, params }) => providers.removeKey(principal, params.provider),
    setProviderAddress: ({ principal, params, body }) => providers.setAddress(principal, params.provider, body),
    removeProviderAddress: async ({ principal, params }) => providers.removeAddress(principal, params.provider),
    testProvider: ({ principal, params }) => providers.test(principal, params.provider),

    listOwnProviders: ({ principal }) => ownKeys.list(principal),
    setOwnKey: ({ principal, params, body }) => ownKeys.setKey(principal, params.provider, body.key),
    removeOwnKey: ({ principal, params }) => ownKeys.removeKey(principal, params.provider),
    testOwnKey: ({ principal, params }) => ownKeys.test(principal, params.provider),
    setOwnKeysAllowed: ({ principal, body }) => ownKeys.setAllowed(principal, body.allowed),

    listProfiles: ({ principal }) => profiles.list(principal),
    createProfile: ({ principal, body }) => profiles.create(principal, body),
    changeProfile: ({ principal, params, body }) => profiles.change(principal, params.profileId, body),
    deleteProfile: ({ principal, params }) => profiles.remove(principal, params.profileId),

    getPreferences: ({ principal }) => preferences.get(principal),
    setPreferences: ({ principal, body }) => preferences.set(principal, body),
    listPush: ({ principal }) => deps.push.list(principal),
    subscribePush: ({ principal, body }) => deps.push.subscribe(principal, body),
    unsubscribePush: ({ principal, params }) => deps.push.unsubscribe(principal, params.subscriptionId),
    testPush: ({ principal, params }) => deps.push.test(principal, params.subscriptionId),
    listPrompts: ({ principal, query }) => prompts.list(principal, query),
    createPrompt: ({ principal, body }) => prompts.create(principal, body),
    changePrompt: ({ principal, params, body }) => prompts.change(principal, params.promptId, body),
    deletePrompt: ({ principal, params }) => prompts.remove(principal, params.promptId),

    listDrafts: ({ principal }) => drafts.list(principal),
    getDraft: ({ principal, params }) => drafts.get(principal, params.threadId),
    setDraft: ({ principal, params, body }) => drafts.set(principal, params.threadId, body),
    getFirstDraft: ({ principal }) => drafts.getFirst(principal),
    setFirstDraft: ({ principal, body }) => drafts.setFirst(principal, body),
    markSeen: ({ principal, params, body }) => readMarks.mark(principal, params.threadId, body),

    listAttachments: ({ principal, query }) => attachments.list(principal, query.threadId),
    removeAttachment: ({ principal, params }) => attachments.remove(principal, params.attachmentId),

    createShare: ({ principal, params, body }) => shares.create(principal, params.threadId, body),
    listShares: ({ principal, query }) => shares.list(principal, query.threadId),
    getSharedAsUser: ({ principal, params }) => shares.open(params.token, principal.address ?? "", true),
    revokeShare: ({ principal, params }) => shares.revoke(principal, params.shareId),

    listKeys: ({ principal }) => deps.apiKeys.list(principal),
    createKey: ({ principal, body }) => deps.apiKeys.create(principal, body),
    revokeKey: ({ principal, params }) => deps.apiKeys.revoke(principal, params.keyId),

    exportThread: ({ principal, params, query }) => exports.thread(principal, params.threadId, query),
    exportEverything: ({ principal, query }) => exports.everything(principal, query.format),
    listImports: ({ principal }) => imports.list(principal),
    getImport: ({ principal, params, query }) => imports.get(principal, params.importId, query),
    decideImport: ({ principal, params, body }) => imports.decide(principal, params.importId, body),
    removeImport: ({ principal, params }) => imports.remove(principal, params.importId),
    deleteEverything: ({ principal, body }) => erasing.erase(principal, body),
  };
}
