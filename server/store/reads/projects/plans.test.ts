import { describePlans, type Calls } from "../../../../test/support/store/plans.ts";

const project = "p";
const page = { after: null, limit: 20 } as const;
const place = { project, from: { position: 5, id: "e5" }, back: false, limit: 10 };

/** As many as one act may contain, because plans depend on the length of a list. */
const many = Array.from({ length: 400 }, (_, n) => `e${n}`);

const calls: Calls = {
  project: (reads) => reads.project(project),
  projectsOf: (reads) => reads.projectsOf("o", false, 10),
  countFiles: (reads) => reads.countFiles(project),
  filesByPath: (reads) => reads.filesByPath(project, many),
  entity: (reads) => reads.entity(project, "e1"),
  entitiesById: (reads) => reads.entitiesById(project, many),
  fullEntities: (reads) => reads.fullEntities(project, many),
  entityLines: (reads) => reads.entityLines(project, many),
  childrenOf: (reads) => reads.childrenOf(project, many, 100),
  "siblings, after one": (reads) => reads.entitySiblings({ ...place, parent: "e1" }),
  "siblings, last at the root": (reads) => reads.entitySiblings({ ...place, parent: null, from: null, back: true }),
  "siblings, before one at the root": (reads) => reads.entitySiblings({ ...place, parent: null, back: true }),
  countEntities: (reads) => reads.countEntities(project, 1000),
  entityCounts: (reads) => reads.entityCounts(project, 500),
  "newest of all kinds": (reads) => reads.entityPage({ project }, { ...page, sort: "updated" }),
  "newest of a kind, next page": (reads) =>
    reads.entityPage({ project, kind: "task" }, { ...page, sort: "updated", after: [500, 0, "e1"] }),
  "newest in a state": (reads) =>
    reads.entityPage({ project, kind: "task", state: "open" }, { ...page, sort: "updated" }),
  "open ones by due": (reads) => reads.entityPage({ project, kind: "task", ended: false }, { ...page, sort: "due" }),
  "open ones by priority": (reads) =>
    reads.entityPage({ project, kind: "task", ended: false }, { ...page, sort: "priority", after: [1, -5, "e1"] }),
  "children by place": (reads) => reads.entityPage({ project, parent: "e1" }, { ...page, sort: "position" }),
  "roots by place": (reads) =>
    reads.entityPage({ project, parent: null }, { ...page, sort: "position", after: [5, 0, "e5"] }),
  "a kind by title": (reads) =>
    reads.entityPage({ project, kind: "document" }, { ...page, sort: "title", after: ["a", 0, "e5"] }),
  calendar: (reads) => reads.entityPage({ project, kind: "event", from: 5, to: 9 }, { ...page, sort: "due" }),
  "by words": (reads) => reads.entityPage({ project, terms: ["word7", "te"] }, { ...page, sort: "updated" }),
  "by words in a kind and state": (reads) =>
    reads.entityPage({ project, kind: "task", state: "done", terms: ["te"] }, { ...page, sort: "due" }),
  "all of a project": (reads) => reads.entityPage({ project }, { ...page, sort: "title" }),
  "how many of a kind in a state": (reads) => reads.entityTotal({ project, kind: "task", state: "open" }),
  "how many open of a kind": (reads) => reads.entityTotal({ project, kind: "task", ended: false }),
  "how many with these words": (reads) => reads.entityTotal({ project, terms: ["word7"] }),
  "how many at all": (reads) => reads.entityTotal({ project }),
  edge: (reads) => reads.edge({ project, source: "e1", relation: "supports", target: "e2" }),
  edgesOf: (reads) => reads.edgesOf(project, many.slice(0, 50), 100),
  hiddenEdges: (reads) => reads.hiddenEdges(project, many.slice(0, 50)),
  edgesAmong: (reads) => reads.edgesAmong(project, many, 1000),
  countEdges: (reads) => reads.countEdges(project),
  mostLinked: (reads) => reads.mostLinked(project, 20),
  act: (reads) => reads.act(project, "a1"),
  actsById: (reads) => reads.actsById(project, ["a1", "a2"]),
  acts: (reads) => reads.acts({ project, before: 900, limit: 20 }),
  actsOn: (reads) => reads.actsOn({ project, before: 900, limit: 20 }, { what: "entity", target: "e7" }),
  actsOfRun: (reads) => reads.actsOfRun({ project, before: 900, limit: 20 }, "r1"),
  changesOfActs: (reads) => reads.changesOfActs(project, ["a1", "a2"]),
  digestProjects: (reads) => reads.digestProjects("o", 8),
  digestProjectCount: (reads) => reads.digestProjectCount("o"),
  "digestOutline, all": (reads) => reads.digestOutline(project, "all", times, { newest: 200, dated: 60 }),
  "digestOutline, aims": (reads) => reads.digestOutline(project, "aims", times, { newest: 60, dated: 20 }),
  digestCounts: (reads) => reads.digestCounts(project, 500),
  digestEntities: (reads) => reads.digestEntities(project, many),
  digestRelations: (reads) => reads.digestRelations(project),
  digestHubs: (reads) => reads.digestHubs(project, 5),
  digestLinks: (reads) => reads.digestLinks(project, "e7", 40),
  digestLinkCount: (reads) => reads.digestLinkCount(project, "e7"),
  digestActs: (reads) => reads.digestActs(project, 6),
  digestChanges: (reads) => reads.digestChanges(project, 9_990, 120),
  digestChangeCount: (reads) => reads.digestChangeCount(project, 9_990),
  digestTouched: (reads) => reads.digestTouched(project, 9_990, 400),
  digestFiles: (reads) => reads.digestFiles(project, 2_000),
};

const times = { now: 4_000, from: 3_000, to: 5_000 };
const kinds = "(array['task','task','task','task','document','document','event','goal'])";

/** A large project among small ones. */
const largeProject = [
  "insert into users (id, created_at) values ('o', 1), ('v', 1)",
  `insert into projects (id, owner, name, description, instructions, archived, version, seq, created_at, updated_at)
     select case n when 0 then 'p' else 'p' || n end, case when n < 40 then 'o' else 'v' end, '', '', '', 0, 1, 1, n, n
     from generate_series(0, 1000) n`,
  `insert into entities (project, id, kind, title, body, terms, state, ended, priority, starts_at, ends_at, parent, position,
     version, deleted, created_at, updated_at)
     select 'p', 'e' || n, ${kinds}[n % 8 + 1], 'Title ' || n, 'text', 'title text word' || n % 900,
     case when n % 3 = 0 then 'done' else 'open' end, case when n % 3 = 0 then 1 else 0 end, n % 5, n, n + 10,
     case when n % 4 = 0 then 'e' || n / 4 end, n, 1, 0, n, n from generate_series(1, 8000) n`,
  `insert into entities (project, id, kind, title, body, terms, state, ended, priority, starts_at, ends_at, parent, position,
     version, deleted, created_at, updated_at)
     select 'p' || n % 1000 + 1, 'e' || n, ${kinds}[n % 8 + 1], 'Title', '', 'title', 'open', 0, 0, null, null, null, n, 1, 0, n, n
     from generate_series(1, 20000) n`,
  `insert into edges (project, source, relation, target, hidden, created_at)
     select 'p', 'e' || n % 7919 + 1, 'supports', 'e' || n % 7907 + 1, 0, n from generate_series(1, 20000) n`,
  `insert into acts (project, id, hash, seq, author, thread, run, text, undone, undoes, created_at)
     select 'p', 'a' || n, '', n, 'run', 't', 'r' || n / 10, '', 0, null, n from generate_series(1, 10000) n`,
  `insert into changes (project, act, n, seq, what, target, title, before, after)
     select 'p', 'a' || n, 0, n, 'entity', 'e' || n % 5000, '', null, '{}' from generate_series(1, 10000) n`,
  `insert into files (project, path, hash, bytes, lines, seq, updated_at)
     select 'p' || case when n < 2000 then '' else n % 900 + 1 || '' end, 'e' || n, '', 1, 1, 1, n from generate_series(1, 8000) n`,
];

describePlans("every read of projects uses an index", {
  calls,
  rows: largeProject,
  ordered: [
    "projectsOf",
    "siblings, after one",
    "siblings, last at the root",
    "siblings, before one at the root",
    "newest of all kinds",
    "newest of a kind, next page",
    "newest in a state",
    "children by place",
    "roots by place",
    "acts",
    "actsOn",
    "actsOfRun",
    "digestProjects",
    "digestOutline, all",
    "digestOutline, aims",
    "digestActs",
  ],
  whole: [
    "countFiles",
    "countEntities",
    "entityCounts",
    "newest of all kinds",
    "all of a project",
    "how many at all",
    "countEdges",
    "mostLinked",
    "digestCounts",
    "digestRelations",
    "digestHubs",
    "digestFiles",
  ],
  small: ["entities_search", "SCAN some", "SCAN ends"],
  guessedBadly: ["the whole project"],
});
