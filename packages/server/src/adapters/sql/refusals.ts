import type { CapabilityError } from "@paraph/core";
import { refused, type Statement } from "./statement.ts";
import { holds, type Tree, treesIn } from "./tree.ts";

const changing = ["InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt"];

/** What defines tables and what belongs to them; nothing that brings code, rights or other databases along. */
const defining = [
  ...["CreateStmt", "AlterTableStmt", "DropStmt", "TruncateStmt", "RenameStmt", "CommentStmt"],
  ...["IndexStmt", "ViewStmt", "CreateTableAsStmt", "RefreshMatViewStmt", "CreateStatsStmt"],
  ...[
    "CreateSchemaStmt",
    "CreateSeqStmt",
    "AlterSeqStmt",
    "CreateEnumStmt",
    "AlterEnumStmt",
    "CreateDomainStmt",
  ],
];

/** A statement that only reads, as far as its text can tell; the transaction it runs in holds it to that. */
export function demandRead({ kind, tree }: Statement): void {
  if (kind === "ExplainStmt") {
    const inner = Object.keys(tree.query ?? {})[0]!;
    if (treesIn(tree.options, "DefElem").some(({ defname }) => defname === "analyze"))
      throw refused("analyze-refused", "EXPLAIN ANALYZE runs what it explains: leave ANALYZE out.");
    if (inner !== "SelectStmt")
      throw refused("not-a-read", "Only a SELECT is explained here: the preview of a change shows its plan.");
  } else if (kind !== "SelectStmt" && kind !== "VariableShowStmt") {
    throw changing.includes(kind)
      ? refused("not-a-read", "This changes rows: use the capability that ends in `.execute`.")
      : refusalOf(kind);
  }
  demandPlain(tree);
}

/** One change of one table, or where that is configured a definition. */
export function demandChange({ kind, tree }: Statement, ddl: boolean): "rows" | "definition" {
  if (!changing.includes(kind) && !(ddl && defining.includes(kind))) {
    throw defining.includes(kind)
      ? refused(
          "ddl-refused",
          "Tables are not defined or emptied here: `ddl: true` in the configuration allows it.",
        )
      : refusalOf(kind);
  }
  if (tree.returningClause !== undefined)
    throw refused("returning-refused", "Leave RETURNING out: the keys of the rows are in the output anyway.");
  if (holds(tree, "CurrentOfExpr"))
    throw refused("cursor-refused", "There are no cursors here: say with WHERE which rows are meant.");
  demandPlain(tree, kind === "CreateTableAsStmt");
  return changing.includes(kind) ? "rows" : "definition";
}

function demandPlain(tree: Tree, makesTable = false): void {
  if (holds(tree, ...changing))
    throw refused(
      "several-changes",
      "A statement inside changes rows too: make each change in a call of its own.",
    );
  if (holds(tree, "lockingClause"))
    throw refused(
      "locking-refused",
      "Leave FOR UPDATE and FOR SHARE out: nothing stays locked between calls.",
    );
  if (!makesTable && holds(tree, "intoClause"))
    throw refused("into-refused", "SELECT INTO makes a table: use CREATE TABLE AS where that is allowed.");
  if (holds(tree, "ExecuteStmt")) throw refusalOf("ExecuteStmt");
}

function refusalOf(kind: string): CapabilityError {
  const [code, message] = refusals[kind] ?? [
    "statement-refused",
    "Statements of this kind are not for agents: a person who looks after the database can run it.",
  ];
  return refused(code, message);
}

const prepared = [
  "prepared-refused",
  "Nothing is prepared here: send the statement itself, with parameters.",
] as const;
const cursor = [
  "cursor-refused",
  "There are no cursors here: ask for fewer rows with LIMIT and WHERE.",
] as const;
const channel = [
  "notify-refused",
  "Messages to other sessions are no part of this: leave NOTIFY and LISTEN out.",
] as const;
const rights = [
  "rights-refused",
  "Rights and roles are not changed here: whoever looks after the database does.",
] as const;
const code = [
  "code-refused",
  "Functions, triggers, rules and extensions bring code along: they are not made here.",
] as const;
const upkeep = [
  "upkeep-refused",
  "Upkeep of the database is not done here: VACUUM, ANALYZE, REINDEX and their like.",
] as const;

const refusals: Readonly<Record<string, readonly [code: string, message: string]>> = {
  SelectStmt: ["not-a-change", "This changes nothing: use the capability that ends in `.query`."],
  ExplainStmt: ["not-a-change", "The preview shows the plan: send the statement without EXPLAIN."],
  VariableShowStmt: ["not-a-change", "This changes nothing: use the capability that ends in `.query`."],
  TransactionStmt: [
    "transaction-refused",
    "Each call is a transaction of its own: leave BEGIN, COMMIT, ROLLBACK and SAVEPOINT out.",
  ],
  VariableSetStmt: ["set-refused", "Settings are not changed here: leave SET and RESET out."],
  ConstraintsSetStmt: ["set-refused", "Settings are not changed here: leave SET CONSTRAINTS out."],
  CopyStmt: [
    "copy-refused",
    "COPY reads and writes files and programs: use INSERT with parameters, or a query.",
  ],
  DoStmt: [
    "do-refused",
    "DO runs code that nobody can look into beforehand: send the statements themselves.",
  ],
  CallStmt: [
    "call-refused",
    "A procedure may commit by itself, so it cannot be previewed: send what it would do.",
  ],
  VacuumStmt: upkeep,
  ReindexStmt: upkeep,
  ClusterStmt: upkeep,
  CheckPointStmt: upkeep,
  LockStmt: ["locking-refused", "Leave LOCK out: nothing stays locked between calls."],
  ListenStmt: channel,
  UnlistenStmt: channel,
  NotifyStmt: channel,
  PrepareStmt: prepared,
  ExecuteStmt: prepared,
  DeallocateStmt: prepared,
  DeclareCursorStmt: cursor,
  FetchStmt: cursor,
  ClosePortalStmt: cursor,
  GrantStmt: rights,
  GrantRoleStmt: rights,
  CreateRoleStmt: rights,
  AlterRoleStmt: rights,
  DropRoleStmt: rights,
  AlterOwnerStmt: rights,
  CreatePolicyStmt: rights,
  AlterPolicyStmt: rights,
  CreateFunctionStmt: code,
  CreateTrigStmt: code,
  RuleStmt: code,
  CreateExtensionStmt: code,
  LoadStmt: code,
};
