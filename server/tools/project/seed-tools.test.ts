import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openToolRunner, type Place } from "../../../test/support/project/tool-runner.ts";
import { describeStores } from "../../../test/support/stores.ts";

type Output = {
  readonly project?: { id: string };
  readonly entities?: readonly { id: string; title: string; [field: string]: unknown }[];
  readonly tree?: string;
  readonly links?: readonly string[];
  readonly total?: number;
  readonly activity?: readonly object[];
  readonly counts?: readonly object[];
  readonly done?: string;
};

/** Tools as the documents before us name them, each with the Stonechat call that replaces it. `$x` is the id of x. */
const answers: readonly (readonly [theirs: string, ours: string, input: object, fits: (output: Output) => boolean])[] =
  [
    ["get_document_tree", "get_entity", { tree: true }, ({ tree }) => /- Handbook.*\n {2}- Tools/.test(tree ?? "")],
    ["get_document_path", "get_entity", { ids: ["$tools"] }, pathIs("Handbook")],
    ["create_onto_document", "create_entities", one({ kind: "document", title: "Log", body: "# Log" }), adds("Log")],
    ["update_onto_document", "update_entities", change("$offer", { body: "Anew" }), changes("Offer")],
    ["append to a document", "update_entities", change("$offer", { append: "More" }), changes("Offer")],
    [
      "edit a span of a document",
      "update_entities",
      change("$tools", { edit: { old: "saw", new: "axe" } }),
      changes("Tools"),
    ],
    [
      "move_document_in_tree",
      "update_entities",
      change("$offer", { parent_id: "$handbook", after: null }),
      changes("Offer"),
    ],
    ["get_onto_document_details", "get_entity", { ids: ["$handbook"] }, holds("body", "Read me")],
    ["search_onto_documents", "list_entities", { kinds: ["document"], words: "tool" }, lists("Tools")],
    ["list_onto_documents", "list_entities", { kinds: ["document"] }, lists("Handbook")],
    ["delete_onto_document", "delete_entities", { ids: ["$waste"] }, ({ done }) => /waste/i.test(done ?? "")],
    ["list_onto_tasks", "list_entities", { kinds: ["task"] }, lists("Order granite")],
    ["search_onto_tasks", "list_entities", { kinds: ["task"], words: "granite" }, lists("Order granite")],
    ["list overdue tasks", "list_entities", { kinds: ["task"], overdue: true }, lists("Order granite")],
    ["create_onto_task", "create_entities", one({ kind: "task", title: "Sweep", ends: "2026-11-20" }), adds("Sweep")],
    [
      "update_onto_task",
      "update_entities",
      change("$sand", { state: "active", priority: "high" }),
      changes("Fetch sand"),
    ],
    ["get_onto_task_details", "get_entity", { ids: ["$sand"] }, holds("title", "Fetch sand")],
    ["list_onto_goals", "list_entities", { kinds: ["goal"] }, lists("A wall")],
    ["create_onto_goal", "create_entities", one({ kind: "goal", title: "A gate" }), adds("A gate")],
    ["get_onto_goal_details", "get_entity", { ids: ["$wall"] }, holds("title", "A wall")],
    ["list_onto_plans", "list_entities", { kinds: ["plan"] }, lists("Autumn")],
    [
      "create_onto_plan",
      "create_entities",
      one({ kind: "plan", title: "Winter", starts: "2026-12-01" }),
      adds("Winter"),
    ],
    ["list_onto_milestones", "list_entities", { kinds: ["milestone"] }, lists("Footing")],
    ["create_onto_milestone", "create_entities", one({ kind: "milestone", title: "Coping" }), adds("Coping")],
    ["list_onto_risks", "list_entities", { kinds: ["risk"] }, lists("Frost")],
    [
      "list_calendar_events",
      "list_entities",
      { kinds: ["event"], from: "2026-11-01", to: "2026-11-30" },
      lists("Visit"),
    ],
    [
      "create_calendar_event",
      "create_entities",
      one({ kind: "event", title: "Fair", starts: "2026-12-01T09:00Z", ends: "2026-12-01T17:00Z" }),
      adds("Fair"),
    ],
    ["update_calendar_event", "update_entities", change("$visit", { starts: "2026-11-21" }), changes("Visit")],
    ["list_onto_projects", "list_entities", { kinds: ["project"] }, lists("Harbour")],
    ["create_onto_project", "create_entities", one({ kind: "project", title: "Quarry" }), adds("Quarry")],
    ["update_onto_project", "update_entities", change("$project", { body: "By the sea" }), changes("Harbour")],
    ["get_onto_project_details", "get_entity", {}, ({ counts = [] }) => counts.length > 5],
    ["get_onto_project_graph", "get_entity", { graph: 2 }, ({ links = [] }) => links.length > 0],
    ["get_entity_relationships", "get_entity", { ids: ["$wall"], graph: 1 }, ({ links = [] }) => links.length === 1],
    [
      "get_linked_entities",
      "get_entity",
      { ids: ["$wall"] },
      holds("links", [expect.objectContaining({ title: "Order granite" })]),
    ],
    ["link_onto_entities", "link_entities", { links: [{ from: "$sand", relation: "supports", to: "$wall" }] }, linked],
    [
      "unlink_onto_edge",
      "link_entities",
      { links: [{ from: "$sand", relation: "supports", to: "$wall" }], remove: true },
      linked,
    ],
    ["search_ontology", "list_entities", { words: "granite" }, lists("Order granite")],
    ["search all projects", "list_entities", { project_id: "all", words: "granite" }, lists("Order granite")],
    ["get_field_history", "get_entity", { ids: ["$visit"], activity: true }, holds("activity", expect.any(Array))],
    ["list_recent_activity", "get_entity", { activity: true }, ({ activity = [] }) => activity.length > 3],
  ];

describeStores("requests that need several kinds of tools", (bench) => {
  let desk: Awaited<ReturnType<typeof openToolRunner>>;
  const ids = new Map<string, string>();
  let place: Place = {};

  beforeAll(async () => {
    desk = await openToolRunner(bench);
    const started = await call("create_entities", one({ kind: "project", title: "Harbour" }));
    ids.set("project", started.project!.id);
    place = { projectId: started.project!.id };
    const { entities = [] } = await call("create_entities", {
      entities: [
        { ref: "tools", kind: "document", title: "Tools", body: "A saw.", parent_id: "handbook" },
        { ref: "handbook", kind: "document", title: "Handbook", body: "Read me" },
        { ref: "offer", kind: "document", title: "Offer" },
        { ref: "waste", kind: "document", title: "Waste" },
        { ref: "wall", kind: "goal", title: "A wall" },
        {
          ref: "order",
          kind: "task",
          title: "Order granite",
          ends: "2020-01-01",
          links: [{ relation: "supports", to: "wall" }],
        },
        { ref: "sand", kind: "task", title: "Fetch sand" },
        { ref: "autumn", kind: "plan", title: "Autumn" },
        { ref: "footing", kind: "milestone", title: "Footing" },
        { ref: "frost", kind: "risk", title: "Frost" },
        { ref: "visit", kind: "event", title: "Visit", starts: "2026-11-20" },
      ],
    });
    const refs = { Tools: "tools", Handbook: "handbook", Offer: "offer", Waste: "waste", "A wall": "wall" };
    const more = { "Fetch sand": "sand", Visit: "visit" };
    for (const { title, id } of entities) ids.set(({ ...refs, ...more } as Record<string, string>)[title] ?? title, id);
  });
  afterAll(() => desk.close());

  const call = async (name: string, input: object): Promise<Output> => {
    const named = JSON.stringify(input).replaceAll(/\$(\w+)/g, (_, ref: string) => ids.get(ref) ?? `no-${ref}`);
    return (await desk.call(name, JSON.parse(named) as object, place)).output;
  };

  describe("is answered", () => {
    test.each(answers)("%s: by %s", async (_, ours, input, fits) => {
      const output = await call(ours, input);
      expect(fits(output), JSON.stringify(output)).toBe(true);
    });
  });
});

function one(entity: object): object {
  return { entities: [entity] };
}
function change(id: string, set: object): object {
  return { updates: [{ id, ...set }] };
}
function lists(title: string) {
  return ({ entities = [] }: Output): boolean => entities.some((entity) => entity.title === title);
}
function adds(title: string) {
  return ({ entities = [], done = "" }: Output): boolean => entities[0]?.title === title && done !== "";
}
function changes(title: string) {
  return ({ entities = [], done = "" }: Output): boolean => entities[0]?.title === title && !done.startsWith("Nothing");
}
function holds(field: string, value: unknown) {
  return ({ entities = [] }: Output): boolean => {
    expect(entities[0]?.[field]).toEqual(value);
    return true;
  };
}
function pathIs(title: string) {
  return holds("path", [expect.objectContaining({ title })]);
}
function linked({ done = "" }: Output): boolean {
  return /link/i.test(done);
}
