import type { outsideSignIn } from "../../strings/account/outside.ts";

/** Ways to sign in other than a password, in Japanese. */
export const outside: typeof outsideSignIn = {
  or: "または",
  signInWith: (name) => `${name}でログイン`,
  joinWith: (name) => `${name}で続ける`,
  forgot: "パスワードを忘れた場合",
  create: "アカウントを作成",
  back: "ログインに戻る",
  reset: {
    title: "パスワードを再設定",
    about: "アカウントのメールアドレスを入力してください。新しいパスワードを設定するリンクが届きます。",
  },
  signUp: {
    title: "アカウントを作成",
    about: "メールアドレスを入力してください。登録できるアドレスの場合、アカウントを作成するリンクが届きます。",
  },
  send: "リンクを送信",
  sending: "送信中…",
  sent: {
    title: "メールを確認してください",
    about: (email) => `${email}が使える場合、リンクが届きます。リンクは1日以内に1回だけ使えます。`,
  },
  linked: {
    title: "連携中のログイン",
    about: (name) => `${name}を連携すると、このアカウントにログインできます。`,
    link: (name) => `${name}を連携`,
    at: (host) => `${host}`,
    used: (when) => `最終使用: ${when}`,
    remove: (label) => `${label}を解除`,
    removeTitle: "このログインを解除しますか？",
    removeAbout: "このログインではアカウントに入れなくなります。セッションはそのままです。",
    removeAction: "解除",
  },
  byProxy:
    "このサーバーの前にあるプロキシがログインを行っています。ログアウトするには、プロキシからログアウトしてください。",
  invitation: { mail: "リンクをメールで送信", mailed: (email) => `リンクは${email}にも送信されます。` },
};
