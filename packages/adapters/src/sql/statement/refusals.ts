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
      throw refusedFault("analyze-refused", "EXPLAIN ANALYZE runs the statement. Remove ANALYZE.");
    if (inner !== "SelectStmt")
      throw refusedFault(
        "not-a-read",
        "Queries can explain only a SELECT. The preview of a change shows its plan.",
      );
  } else if (kind !== "SelectStmt" && kind !== "VariableShowStmt") {
    throw changeStatements.includes(kind)
      ? refusedFault("not-a-read", "The statement changes rows. Use the capability that ends in `.execute`.")
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
          "Calls cannot create, alter, truncate or drop tables. Set `ddl: true` in the configuration to allow it.",
        )
      : toRefusal(kind);
  }
  if (tree.returningClause !== undefined)
    throw refusedFault(
      "returning-refused",
      "RETURNING is not supported, because the output already contains the keys of the rows. Remove RETURNING.",
    );
  if (hasNode(tree, "CurrentOfExpr"))
    throw refusedFault("cursor-refused", "Cursors are not supported. Select the rows with WHERE.");
  requirePlainStatement(tree, kind === "CreateTableAsStmt");
  return changeStatements.includes(kind) ? "rows" : "definition";
}

function requirePlainStatement(tree: SqlTree, makesTable = false): void {
  if (hasNode(tree, ...changeStatements))
    throw refusedFault(
      "several-changes",
      "The statement contains another change of rows. Make each change in its own call.",
    );
  if (hasNode(tree, "lockingClause"))
    throw refusedFault(
      "locking-refused",
      "Locks do not persist between calls. Remove FOR UPDATE and FOR SHARE.",
    );
  if (!makesTable && hasNode(tree, "intoClause"))
    throw refusedFault("into-refused", "SELECT INTO creates a table. Use CREATE TABLE AS with `ddl: true`.");
  if (hasNode(tree, "ExecuteStmt")) throw toRefusal("ExecuteStmt");
}

function toRefusal(kind: string): CapabilityError {
  const [code, message] = refusalsByKind[kind] ?? [
    "statement-refused",
    "Calls cannot run statements of this kind. Ask a database administrator to run it.",
  ];
  return refusedFault(code, message);
}

const preparedRefusal = [
  "prepared-refused",
  "Prepared statements are not supported. Send the statement itself, with parameters.",
] as const;
const cursorRefusal = [
  "cursor-refused",
  "Cursors are not supported. Select fewer rows with LIMIT and WHERE.",
] as const;
const channelRefusal = [
  "notify-refused",
  "Messages to other sessions are not supported. Remove NOTIFY and LISTEN.",
] as const;
const rightsRefusal = [
  "rights-refused",
  "Calls cannot change rights and roles. Ask a database administrator to change them.",
] as const;
const codeRefusal = [
  "code-refused",
  "Calls cannot create functions, triggers, rules or extensions, because these contain code. Ask a database administrator to create them.",
] as const;
const maintenanceRefusal = [
  "upkeep-refused",
  "Calls cannot run maintenance such as VACUUM, ANALYZE or REINDEX. Ask a database administrator to run it.",
] as const;

const refusalsByKind: Readonly<Record<string, readonly [code: string, message: string]>> = {
  SelectStmt: ["not-a-change", "The statement changes nothing. Use the capability that ends in `.query`."],
  ExplainStmt: ["not-a-change", "The preview shows the plan. Send the statement without EXPLAIN."],
  VariableShowStmt: [
    "not-a-change",
    "The statement changes nothing. Use the capability that ends in `.query`.",
  ],
  TransactionStmt: [
    "transaction-refused",
    "Each call runs in its own transaction. Remove BEGIN, COMMIT, ROLLBACK and SAVEPOINT.",
  ],
  VariableSetStmt: ["set-refused", "Calls cannot change settings. Remove SET and RESET."],
  ConstraintsSetStmt: ["set-refused", "Calls cannot change settings. Remove SET CONSTRAINTS."],
  CopyStmt: ["copy-refused", "COPY can access files and programs. Use INSERT with parameters, or a query."],
  DoStmt: ["do-refused", "DO runs code that Paraph cannot inspect. Send the statements themselves."],
  CallStmt: [
    "call-refused",
    "A procedure may commit by itself, so Paraph cannot preview it. Send its statements instead.",
  ],
  VacuumStmt: maintenanceRefusal,
  ReindexStmt: maintenanceRefusal,
  ClusterStmt: maintenanceRefusal,
  CheckPointStmt: maintenanceRefusal,
  LockStmt: ["locking-refused", "Locks do not persist between calls. Remove LOCK."],
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
