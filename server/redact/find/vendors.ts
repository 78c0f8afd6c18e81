/**
 * Secrets recognized by format alone: vendor prefixes and structured formats. Lengths are loose, because vendors change
 * them; a body without variety is a sample or a word and is not redacted.
 */
const word = "[A-Za-z0-9_-]";
const plain = "[A-Za-z0-9]";
const hex = "[A-Fa-f0-9]";
const uuid = `${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}`;

/** A unique prefix and a long body. */
const prefixes: Readonly<Record<string, string>> = {
  "model-key":
    "sk-(?:ant|proj|svcacct|admin|or|lf)-|pk-lf-|pplx-|gsk_|xai-|r8_|hf_|api_org_|fw_|tgp_v1_|nvapi-|csk-|llx-|" +
    "lsv2_(?:pt|sk)_|jina_|fc-|tvly-|BSA|pa-|e2b_|ph[cx]_|napi_|bce-v3/|ABSK|bedrock-api-key-|AQVN",
  "forge-token":
    "gh[opsur]_|github_pat_|gl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|oas|soat|ffct|wt)-|GR1348941|gl(?:c|sa)_|ATATT3|ATCTT3|" +
    "ATBB|BBDC-|CCIP(?:AT|RJ)_|bkua_|sgp_|sq[apu]_|npm_|pypi-|rubygems_|CLOJARS_|dckr_[po]at_|SWM(?:TKN|KEY)-\\d-|oy2|" +
    "AKCp|cmVmdGtu|waka_",
  "cloud-key":
    "do[opr]_v1_|dp\\.(?:pt|st|ct|sa|scim|audit)\\.|dt0[a-z]\\d\\d\\.|hv[bsr]\\.|dapi|pscale_(?:tkn|oauth|pw)_|pul-|sbp_|" +
    "sb_(?:secret|publishable)_|nf[pcoub]_|vc[pakir]_|vercel_|rnd_|fo1_|fm1[ar]_|fm2_|HRKU-|tskey-|da2-|amzn\\.mws\\.|LTAI|" +
    "AKID|ALTAK|ops_ey|essu_|mdb_sa_sk_|sha256~|PMA[KT]-|rdme_|NR(?:AK|II|JS|BR|RA|SP|IQ)-|dnkey-|cosmo_|SCW|CFPAT-|" +
    "sm_[aps]at_|pnu_|hawk\\.",
  "payment-key":
    "[spr]k_(?:live|test|prod)_|whsec_|sq0[a-z]{3}-|EAAA|FLW(?:SECK|PUBK)_(?:TEST|LIVE)-|shp(?:at|ca|pa|ss|tka|ut)_|" +
    "shippo_(?:live|test)_|duffel_(?:live|test)_|EZ[AT]K|access-(?:sandbox|development|production)-|rzp_(?:live|test)_|APP_USR-",
  "service-token":
    "xox[abeoprs](?:\\.xox[bp])?-|xapp-|SG\\.|xkeysib-|xsmtpsib-|key-|md-|re_|figd_|lin_(?:api|oauth)_|ntn_|secret_|tfp_|fio-u-|" +
    "p8e-|sntry[asu]_|tk-us-|pat-[a-z]{2}\\d-|ATTA|y0_|t1\\.|EAA[A-Z]|IGQ|IGAA|dG9rO|GOCSPX-|ya29\\.|1//0|AIza|sl\\.",
};

/** Structured formats. */
const shapes: readonly (readonly [kind: string, source: string])[] = [
  ["model-key", `sk-${word}{20,}`],
  // Our own API keys.
  ["service-token", `sc_${word}{43}`],
  ["cloud-key", "(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}"],
  ["cloud-key", `[A-Za-z0-9_~.]{3}\\dQ~[A-Za-z0-9_~.-]{31,34}`],
  [
    "cloud-key",
    `(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{70,}(?:JQQJ99|AZDO|\\+ASt|AzFu|\\+ACR|AzSe|ACDb|AIoT)[A-Za-z0-9+/]{4,}={0,2}`,
  ],
  ["cloud-key", `v1\\.0-${hex}{24}-${hex}{100,}`],
  ["cloud-key", `${plain}{10,}\\.atlasv1\\.${word}{30,}`],
  ["cloud-key", `A3-[A-Z0-9]{6}-[A-Z0-9]{6,11}(?:-[A-Z0-9]{5}){3,4}`],
  ["cloud-key", `${hex}{32,36}NRAL|eu01xx?${hex}{30,32}NRAL|${plain}{6}_${plain}{29}_mmk`],
  ["cloud-key", `API-[A-Z0-9]{26}`],
  ["cloud-key", `4b1d${plain}{38}`],
  ["cloud-key", `\\d{6,}-${plain}{32}\\.apps\\.googleusercontent\\.com`],
  ["service-token", `(?:SK|AC|PK)${hex}{32}`],
  ["service-token", `${hex}{32}-us\\d{1,2}`],
  ["service-token", `${hex}{32}-${hex}{8}-${hex}{8}`],
  ["service-token", `\\d{6,12}:AA${word}{32,36}`],
  ["service-token", `[MNO][A-Za-z0-9_-]{22,30}\\.[A-Za-z0-9_-]{5,7}\\.[A-Za-z0-9_-]{27,45}`],
  ["service-token", `pat${plain}{14}\\.${hex}{60,66}`],
  ["service-token", `[12]/\\d{10,}(?:/\\d{10,})?:${hex}{32}`],
  ["service-token", `access_token\\$(?:production|sandbox)\\$[a-z0-9]{16}\\$${hex}{32}`],
  ["service-token", `(?:sdk|api|mob)-${uuid}`],
  [
    "service-token",
    `(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\\.[A-Za-z0-9]{4,6}\\.acc[_-][A-Za-z0-9-]{10,32}\\.[A-Za-z0-9+/_=-]{30,}`,
  ],
  ["service-token", `[ps]k\\.eyJ${word}{20,}\\.${word}{16,}`],
  ["service-token", `\\d{15,25}-${plain}{36,44}`],
  ["service-token", `\\d{15,16}(?:\\||%7[Cc])[A-Za-z0-9_-]{27}`],
  ["service-token", `wx[a-f0-9]{16}`],
  ["service-token", `s\\.[A-Za-z0-9]{24}`],
  ["service-token", `A{20,22}[A-Za-z0-9%]{60,}`],
  ["jwt", `(?<![\\w-])ey[IJ][A-Za-z0-9_-]{8,}={0,2}\\.ey[A-Za-z0-9_-]{6,}={0,2}\\.[A-Za-z0-9_.=+/-]{8,}`],
  ["jwt", `(?<![\\w-])ey[IJ][A-Za-z0-9_-]{16,}(?:\\.[A-Za-z0-9_-]*){4}`],
  ["jwt", `v[1-4]\\.(?:local|public)\\.${word}{24,}(?:\\.${word}+)?`],
  ["private-key", "AGE-SECRET-KEY-1[A-Z0-9]{58}"],
  ["private-key", "S[ACNOPUX][A-Z2-7]{56}"],
  ["service-token", "00D[A-Za-z0-9]{12,15}![A-Za-z0-9._]{80,}"],
  ["service-token", `s-s4t2(?:ud|af)-${hex}{64}`],
  ["wallet", "[xyztuv]prv[1-9A-HJ-NP-Za-km-z]{100,112}"],
  ["wallet", "[5KLc9][1-9A-HJ-NP-Za-km-z]{50,51}"],
  ["wallet", "nsec1[02-9ac-hj-np-z]{58}"],
  ["wallet", "(?:6P|6p)[1-9A-HJ-NP-Za-km-z]{56}"],
  [
    "invoice",
    "(?:ln(?:bc|tb|tbs|bcrt|sb)[0-9a-z]{50,}|LN(?:BC|TB|TBS|BCRT|SB)[0-9A-Z]{50,}|(?:lnurl1|LNURL1)[0-9A-Za-z]{40,})",
  ],
  ["wallet", "cashu[AB][A-Za-z0-9_-]{40,}={0,2}"],
  ["macaroon", "(?:MDAx[A-Z]|AgE[A-Z])[A-Za-z0-9+/_-]{80,}={0,2}|0201[0-9a-f]{120,}"],
  ["ntlm", "TlRMTVNTUAA[A-Za-z0-9+/]{20,}={0,2}"],
  ["crypt", "\\*[A-F0-9]{40}"],
  ["crypt", "\\$(?:2[abxy]|5|6|argon2[a-z]{1,2}|y|apr1|1|pbkdf2[-a-z0-9]*)\\$[A-Za-z0-9./$=,+]{20,}"],
];

/** Secret parts of URLs: the part after the fixed prefix is redacted. */
const addresses: readonly (readonly [kind: string, source: string])[] = [
  ["webhook", "hooks\\.slack\\.com/(?:services|workflows|triggers)(/[A-Za-z0-9+/_-]{20,})"],
  ["webhook", "discord(?:app)?\\.com/api/(?:v\\d+/)?webhooks(/\\d{15,}/[A-Za-z0-9_-]{40,})"],
  ["webhook", "webhook\\.office\\.com/(webhookb2/[A-Za-z0-9@/-]{40,})"],
  ["webhook", "hooks\\.zapier\\.com/hooks/catch(/[A-Za-z0-9/]{10,})"],
  ["webhook", "outlook\\.office\\.com/webhook(/[A-Za-z0-9@/-]{40,})"],
  ["webhook", "chat\\.googleapis\\.com/v1/spaces/[^?\\s]{0,200}\\?([^\\s\"']{20,})"],
];

const bodies = Object.entries(prefixes).map(
  ([kind, source]) => [kind, `(?:${source})[A-Za-z0-9_.=+/~%-]{12,}`] as const,
);
const all = [...shapes, ...bodies];
/** One pattern for all: at a word start, the first alternative that matches. */
export const vendorPattern = new RegExp(
  `(?<![A-Za-z0-9])(?:${all.map(([, source]) => `(${source})`).join("|")})(?![A-Za-z0-9])`,
  "g",
);

export function describeMatch(match: RegExpExecArray): { readonly kind: string; readonly isShape: boolean } {
  const at = match.findIndex((group, index) => index > 0 && group !== undefined) - 1;
  return { kind: all[at]?.[0] ?? "token", isShape: at < shapes.length };
}

export const addressPatterns = addresses.map(([kind, source]) => ({ kind, pattern: new RegExp(source, "dg") }));
