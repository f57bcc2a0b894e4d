import type { CapabilityError } from "@paraph/core";
import { hasNode, listNodes, type SqlTree } from "./sql-tree.ts";
import { refusedFault, type SqlStatement } from "./statement.ts";

const changeStatements = ["InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt"];

/**
 * Statements that define tables and their parts. The list excludes statements that add code, rights or other databases.
 */
const definitionStatements = [
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

/**
 * Rejects a statement that does more than read, as far as its text shows. The read-only transaction enforces the rest.
 */
export function requireRead({ kind, tree }: SqlStatement): void {
  if (kind === "ExplainStmt") {
    const inner = Object.keys(tree.query ?? {})[0]!;
    if (listNodes(tree.options, "DefElem").some(({ defname }) => defname === "analyze"))
      throw refusedFault("analyze-refused", "EXPLAIN ANALYZE runs what it explains: leave ANALYZE out.");
    if (inner !== "SelectStmt")
      throw refusedFault(
        "not-a-read",
        "Only a SELECT is explained here: the preview of a change shows its plan.",
      );
  } else if (kind !== "SelectStmt" && kind !== "VariableShowStmt") {
    throw changeStatements.includes(kind)
      ? refusedFault("not-a-read", "This changes rows: use the capability that ends in `.execute`.")
      : toRefusal(kind);
  }
  requirePlainStatement(tree);
}

/** Rejects any statement except one change of one table or, if the configuration allows it, one definition. */
export function requireChange({ kind, tree }: SqlStatement, ddl: boolean): "rows" | "definition" {
  if (!changeStatements.includes(kind) && !(ddl && definitionStatements.includes(kind))) {
    throw definitionStatements.includes(kind)
      ? refusedFault(
          "ddl-refused",
          "Tables are not defined or emptied here: `ddl: true` in the configuration allows it.",
        )
      : toRefusal(kind);
  }
  if (tree.returningClause !== undefined)
    throw refusedFault(
      "returning-refused",
      "Leave RETURNING out: the keys of the rows are in the output anyway.",
    );
  if (hasNode(tree, "CurrentOfExpr"))
    throw refusedFault("cursor-refused", "There are no cursors here: say with WHERE which rows are meant.");
  requirePlainStatement(tree, kind === "CreateTableAsStmt");
  return changeStatements.includes(kind) ? "rows" : "definition";
}

function requirePlainStatement(tree: SqlTree, makesTable = false): void {
  if (hasNode(tree, ...changeStatements))
    throw refusedFault(
      "several-changes",
      "A statement inside changes rows too: make each change in a call of its own.",
    );
  if (hasNode(tree, "lockingClause"))
    throw refusedFault(
      "locking-refused",
      "Leave FOR UPDATE and FOR SHARE out: nothing stays locked between calls.",
    );
  if (!makesTable && hasNode(tree, "intoClause"))
    throw refusedFault(
      "into-refused",
      "SELECT INTO makes a table: use CREATE TABLE AS where that is allowed.",
    );
  if (hasNode(tree, "ExecuteStmt")) throw toRefusal("ExecuteStmt");
}

function toRefusal(kind: string): CapabilityError {
  const [code, message] = refusalsByKind[kind] ?? [
    "statement-refused",
    "Statements of this kind are not for agents: a person who looks after the database can run it.",
  ];
  return refusedFault(code, message);
}

const preparedRefusal = [
  "prepared-refused",
  "Nothing is prepared here: send the statement itself, with parameters.",
] as const;
const cursorRefusal = [
  "cursor-refused",
  "There are no cursors here: ask for fewer rows with LIMIT and WHERE.",
] as const;
const channelRefusal = [
  "notify-refused",
  "Messages to other sessions are no part of this: leave NOTIFY and LISTEN out.",
] as const;
const rightsRefusal = [
  "rights-refused",
  "Rights and roles are not changed here: whoever looks after the database does.",
] as const;
const codeRefusal = [
  "code-refused",
  "Functions, triggers, rules and extensions bring code along: they are not made here.",
] as const;
const maintenanceRefusal = [
  "upkeep-refused",
  "Upkeep of the database is not done here: VACUUM, ANALYZE, REINDEX and their like.",
] as const;

const refusalsByKind: Readonly<Record<string, readonly [code: string, message: string]>> = {
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
  VacuumStmt: maintenanceRefusal,
  ReindexStmt: maintenanceRefusal,
  ClusterStmt: maintenanceRefusal,
  CheckPointStmt: maintenanceRefusal,
  LockStmt: ["locking-refused", "Leave LOCK out: nothing stays locked between calls."],
  ListenStmt: channelRefusal,
  UnlistenStmt: channelRefusal,
  NotifyStmt: channelRefusal,
  PrepareStmt: preparedRefusal,
  ExecuteStmt: preparedRefusal,
  DeallocateStmt: preparedRefusal,
  DeclareCursorStmt: cursorRefusal,
  FetchStmt: cursorRefusal,
  ClosePortalStmt: cursorRefusal,
  GrantStmt: rightsRefusal,
  GrantRoleStmt: rightsRefusal,
  CreateRoleStmt: rightsRefusal,
  AlterRoleStmt: rightsRefusal,
  DropRoleStmt: rightsRefusal,
  AlterOwnerStmt: rightsRefusal,
  CreatePolicyStmt: rightsRefusal,
  AlterPolicyStmt: rightsRefusal,
  CreateFunctionStmt: codeRefusal,
  CreateTrigStmt: codeRefusal,
  RuleStmt: codeRefusal,
  CreateExtensionStmt: codeRefusal,
  LoadStmt: codeRefusal,
};
