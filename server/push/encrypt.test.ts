import { describe, expect, test } from "vitest";
import { decryptMessage, createReceiver } from "../../test/support/push/decrypt.ts";
import { encryptMessage } from "./encrypt.ts";

const bytes = (text: string): Buffer => Buffer.from(text, "base64url");

describe("encryption of notifications", () => {
  test("gives the message of the example in RFC 8291", () => {
    const keys = {
      p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
      auth: "BTBZMqHH6r4Tts7J_aSIgg",
    };
    const message = encryptMessage("When I grow up, I want to be a watermelon", keys, {
      salt: bytes("DGv6ra1nlYgDCS1FRnbzlw"),
      privateKey: bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"),
      paddedBytes: 0,
    });
    expect(message.toString("base64url")).toBe(
      "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
    );
  });

  test("gives messages of one length that only the browser with the keys can read, each with other bytes", () => {
    const [browser, other] = [createReceiver(), createReceiver()];
    const [short, long] = ["{}", `{"title":"${"ä".repeat(300)}"}`].map((text) => encryptMessage(text, browser.keys));
    expect(short?.length).toBe(long?.length);
    expect(decryptMessage(long ?? Buffer.alloc(0), browser)).toContain("ää");
    expect(() => decryptMessage(long ?? Buffer.alloc(0), other)).toThrow();
    expect(encryptMessage("{}", browser.keys).equals(short ?? Buffer.alloc(0))).toBe(false);
  });

  test("refuses keys that are no point of the curve, and messages that do not fit", () => {
    const { keys } = createReceiver();
    const zero = Buffer.alloc(65, 4).toString("base64url");
    expect(() => encryptMessage("{}", { ...keys, p256dh: zero })).toThrow();
    expect(() => encryptMessage("x".repeat(5000), keys)).toThrow(/too long/);
  });
});
