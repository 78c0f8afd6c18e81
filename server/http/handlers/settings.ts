import type { Erasing } from "../../account/erase.ts";
import type { Exports } from "../../account/export.ts";
import type { ProfileSettings } from "../../settings/profiles.ts";
import type { PreferenceSettings } from "../../settings/preferences.ts";
import type { PromptSettings } from "../../settings/prompts.ts";
import type { ModelSettingsStore } from "../../settings/model-settings.ts";
import type { ProviderSettings } from "../../settings/providers.ts";
import type { Shares } from "../../account/shares.ts";
import type { Attachments } from "../../thread/attachments/attachments.ts";
import type { Drafts } from "../../thread/drafts.ts";
import type { ReadMarks } from "../../thread/read-marks.ts";
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
  | "listProfiles"
  | "createProfile"
  | "changeProfile"
  | "deleteProfile"
  | "getPreferences"
  | "setPreferences"
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
  | "exportThread"
  | "exportEverything"
  | "deleteEverything"
  | "listAttachments"
  | "removeAttachment";

export type SettingsDeps = {
  readonly providers: ProviderSettings;
  readonly modelSettings: ModelSettingsStore;
  readonly profiles: ProfileSettings;
  readonly preferences: PreferenceSettings;
  readonly prompts: PromptSettings;
  readonly drafts: Drafts;
  readonly readMarks: ReadMarks;
  readonly shares: Shares;
  readonly exports: Exports;
  readonly erasing: Erasing;
  readonly attachments: Attachments;
};

/** The user's own settings, drafts, shares, exports and attachments. Given threads must belong to the user. */
export function createSettingsHandlers(deps: SettingsDeps): Pick<Handlers, SettingsRoute> {
  const { providers, profiles, preferences, prompts, drafts, readMarks, shares, exports, erasing, attachments } = deps;
  return {
    listProviders: () => providers.list(),
    findLocalServers: () => providers.findLocal(),
    changeModel: ({ principal, body }) => deps.modelSettings.change(principal, body),
    setProviderKey: ({ principal, params, body }) => providers.setKey(principal, params.provider, body.key),
    removeProviderKey: ({ principal, params }) => providers.removeKey(principal, params.provider),
    setProviderAddress: ({ principal, params, body }) => providers.setAddress(principal, params.provider, body),
    removeProviderAddress: async ({ principal, params }) => providers.removeAddress(principal, params.provider),
    testProvider: ({ principal, params }) => providers.test(principal, params.provider),

    listProfiles: ({ principal }) => profiles.list(principal),
    createProfile: ({ principal, body }) => profiles.create(principal, body),
    changeProfile: ({ principal, params, body }) => profiles.change(principal, params.profileId, body),
    deleteProfile: ({ principal, params }) => profiles.remove(principal, params.profileId),

    getPreferences: ({ principal }) => preferences.get(principal),
    setPreferences: ({ principal, body }) => preferences.set(principal, body),
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
    revokeShare: ({ principal, params }) => shares.revoke(principal, params.shareId),

    exportThread: ({ principal, params, query }) => exports.thread(principal, params.threadId, query),
    exportEverything: ({ principal }) => exports.everything(principal),
    deleteEverything: ({ principal, body }) => erasing.erase(principal, body),
  };
}
