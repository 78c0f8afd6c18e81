import { describe, expect, test } from "vitest";
import { classifyName } from "./names.ts";

describe("names that promise a secret", () => {
  test.each([
    ..."password PASSWORD passwd userPassword user_password db-pwd pw mypw passphrase admin.password new_password password2".split(
      " ",
    ),
    ..."Passwort contraseña пароль 密码 confirmPassword PASSWORD_CONFIRMATION".split(" "),
    "recovery phrase",
  ])("%s is a password", (name) => {
    expect(classifyName(name)).toBe("password");
  });

  test.each([
    ..."secret clientSecret client_secret access_token ACCESS-TOKEN accessToken accesstoken refreshToken apiKey api_key".split(
      " ",
    ),
    ..."API-KEY x-api-key privateKey private_key PRIVATE-KEY set-cookie Cookie authorization Authorization mnemonic".split(
      " ",
    ),
    ..."macaroon preimage adminMacaroon payment_preimage credentials jwt id_token AccountKey SECRET_KEY_BASE64 cvv".split(
      " ",
    ),
    "api key",
    "secret access key",
  ])("%s is a secret", (name) => {
    expect(classifyName(name)).toBe("secret");
  });

  test.each("key auth session salt nonce seed invoice sig tokens".split(" "))("%s may be a secret", (name) => {
    expect(classifyName(name)).toBe("maybe");
  });
});

test.each([
  ..."token_count max_tokens maxTokens total_tokens token_type tokenizer passwordless secretary author authority".split(
    " ",
  ),
  ..."public_key primaryKey cache_key next_page_token nextPageToken eos_token password_policy secret_name".split(" "),
  ..."monkey keyboard compass passenger cookie_policy pineapple keyframes tokenUrl password_length".split(" "),
  "",
])("%s is not a secret", (name) => {
  expect(classifyName(name)).toBeUndefined();
});
