import type { members as english } from "../../strings/project/members.ts";

/** Members of projects in Japanese. */
export const members: typeof english = {
  title: "メンバー",
  about: "メンバーはこのプロジェクトと共有スレッドを閲覧できます。メンバーでない管理者はどちらも閲覧できません。",
  roles: { owner: "オーナー", editor: "編集者", viewer: "閲覧者" },
  roleOf: (name) => `${name}の役割`,
  roleAbout: {
    editor: "編集者は共有スレッドの閲覧、書き込み、質問ができます。",
    viewer: "閲覧者は閲覧のみできます。",
  },
  you: "あなた",
  suspended: "停止中",
  email: "メールアドレス",
  emailAbout: "このサーバーのアカウントのアドレスです。",
  emailMismatch: "name@example.com のようなメールアドレスを入力してください。",
  role: "役割",
  add: "メンバーを追加",
  adding: "追加",
  privateThreads: (count) =>
    `ここにあるあなたのスレッドのうち${count}件は非公開です。各スレッドの共有ダイアログで共有できます。`,
  remove: (name) => `${name}を削除`,
  removeTitle: (name) => `${name}をこのプロジェクトから削除しますか？`,
  removeText: "アクセス権はすぐになくなり、生成中の回答は停止します。共有されたスレッドは残ります。",
  removeAction: "削除",
  leave: "プロジェクトを離れる",
  leaveTitle: "このプロジェクトを離れますか？",
  leaveText:
    "プロジェクトと共有スレッドにアクセスできなくなります。自分で始めた共有スレッドも含みます。非公開のスレッドは残ります。",
  makeOwner: "オーナーにする",
  makeOwnerOf: (name) => `${name}をオーナーにする`,
  makeOwnerTitle: (name) => `${name}をオーナーにしますか？`,
  makeOwnerText: "オーナーはメンバーの管理と、プロジェクトのアーカイブや削除ができます。あなたは編集者になります。",
  shared: "プロジェクトのメンバーと共有中",
  sharedProject: "共有プロジェクト",
  startsShared: "このプロジェクトのメンバーがこのスレッドを見られます。",
  readOnly: "このスレッドは閲覧のみできます。プロジェクトのオーナーはあなたを編集者にできます。",
  inThread: {
    title: "プロジェクトのメンバー",
    isPrivate: "このスレッドはあなただけが見られます。",
    isShared: "プロジェクトのメンバーがこのスレッドを見られます。",
    warning:
      "共有すると、メッセージ、ファイル、ツールの呼び出しと結果のすべてがメンバーに見えるようになります。以前のプロンプトの記録は、メモリを含む可能性があるため削除されます。",
    noMemory: "共有スレッドでは、アシスタントはあなたのメモリ、指示、独自のツールを使いません。",
    share: "メンバーと共有",
    unshare: "非公開にする",
    unshareText: "始めた人だけが見られるようになります。",
  },
};
