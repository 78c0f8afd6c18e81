import { describePlans, type Calls } from "../../../../test/support/store/plans.ts";

const calls: Calls = {
  previewLogs: (reads) => reads.previewLogs("p", "console", 40),
  previewLogsPast: (reads) => reads.previewLogsPast("p", "network", 250),
  fileActsAfter: (reads) => reads.fileActsAfter("p", 9_990, 100),
};

const rows = [
  "insert into users (id, created_at) values ('o', 1)",
  `insert into projects (id, owner, name, description, instructions, archived, version, seq, created_at, updated_at)
     select case n when 0 then 'p' else 'p' || n end, 'o', '', '', '', 0, 1, 1, n, n from generate_series(0, 500) n`,
  `insert into preview_logs (project, id, seq, kind, level, text, place, at)
     select case when n % 10 = 0 then 'p' else 'p' || n % 500 + 1 end, 'l' || n, 1,
     case when n % 3 = 0 then 'network' else 'console' end, 'log', 'text', null, n from generate_series(1, 5000) n`,
  `insert into acts (project, id, hash, seq, author, thread, run, text, undone, undoes, created_at)
     select 'p', 'a' || n, '', n, 'run', 't', 'r', '', 0, null, n from generate_series(1, 10000) n`,
  `insert into changes (project, act, n, seq, what, target, title, before, after)
     select 'p', 'a' || n, 0, n, case when n % 2 = 0 then 'file' else 'entity' end, 'f' || n % 500, '', null, '{}'
     from generate_series(1, 10000) n`,
];

describePlans("every read of previews uses an index", {
  calls,
  rows,
  ordered: ["previewLogs", "previewLogsPast", "fileActsAfter"],
  small: [],
});
