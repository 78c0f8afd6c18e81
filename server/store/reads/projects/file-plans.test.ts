import { describePlans, type Calls } from "../../../../test/support/store/plans.ts";

const project = "p";
const many = Array.from({ length: 40 }, (_, n) => `h${n}`);

const calls: Calls = {
  files: (reads) => reads.files(project),
  file: (reads) => reads.file(project, "f1"),
  filesAt: (reads) => reads.filesAt(project, 15_000),
  fileAt: (reads) => reads.fileAt(project, "f1", 15_000),
  fileBefore: (reads) => reads.fileBefore(project, "f1", 4),
  blob: (reads) => reads.blob(project, "h1"),
  blobs: (reads) => reads.blobs(project, many),
};

/** A workspace with 500 files that were changed 40 times each, among others. */
const workspaces = [
  "insert into users (id, created_at) values ('o', 1)",
  `insert into projects (id, owner, name, description, instructions, archived, version, seq, created_at, updated_at)
     select case n when 0 then 'p' else 'p' || n end, 'o', '', '', '', 0, 1, 1, n, n from generate_series(0, 100) n`,
  `insert into acts (project, id, hash, seq, author, thread, run, text, undone, undoes, created_at)
     select 'p', 'a' || n, '', n, 'run', 't', 'r', '', 0, null, n from generate_series(1, 20000) n`,
  `insert into changes (project, act, n, seq, what, target, title, before, after)
     select 'p', 'a' || n, 0, n, 'file', 'f' || n % 500, '', null, '{"hash":"h","bytes":1,"lines":1}'
     from generate_series(1, 20000) n`,
  `insert into files (project, path, hash, bytes, lines, seq, updated_at)
     select 'p' || case when n < 500 then '' else n % 100 + 1 || '' end, 'f' || n, 'h' || n, 1, 1, 1, n
     from generate_series(0, 20000) n`,
  `insert into blobs (project, hash, encoding, body)
     select 'p' || case when n < 500 then '' else n % 100 + 1 || '' end, 'h' || n, 'text', 'x' from generate_series(0, 20000) n`,
];

describePlans("every read of files uses an index", {
  calls,
  rows: workspaces,
  ordered: ["files", "fileAt", "fileBefore"],
  whole: ["files"],
  small: ["SCAN paths", "SCAN p"],
  guessedBadly: ["the whole project"],
});
