import { CapabilityError, type ExecutionContext, type Health } from "@paraph/core";
import { hasMarkerTable, markerMissingFault } from "./connection/marker.ts";
import { type Transaction, withTransaction } from "./connection/transaction.ts";
import type { SqlContext } from "./context.ts";

/**
 * Reports whether the deployment's own database responds, whether the marker table is missing, and whether the login
 * has excess rights.
 */
export async function checkDatabaseHealth(
  sqlContext: SqlContext,
  caller: Pick<ExecutionContext, "signal" | "credential">,
): Promise<Health> {
  const { marker, lockTimeoutMs } = sqlContext;
  const options = { access: "read only", end: "rollback", timeoutMs: 5_000, lockTimeoutMs } as const;
  try {
    return await withTransaction(sqlContext.connections, caller, options, async (transaction) => {
      if (marker !== undefined && !(await hasMarkerTable(marker, transaction))) {
        const { code, message } = markerMissingFault();
        return { kind: "degraded", code, message: message };
      }
      const rights = await listExcessRights(transaction);
      return rights.length === 0
        ? { kind: "well" }
        : {
            kind: "degraded",
            code: "login-too-strong",
            message: `The login has rights whose effects no rollback can undo: ${rights.join(", ")}. Use a login with only the rights that docs/adapters/sql.md describes.`,
          };
    });
  } catch (error) {
    if (!(error instanceof CapabilityError)) throw error;
    if (error.code === "credential-missing")
      return {
        kind: "well",
        message: "Each tenant has its own secret, so the health check does not connect.",
      };
    // [P10] PostgreSQL's message may contain a name from the tenant's data, so the health report omits that message.
    return {
      kind: "degraded",
      code: error.code,
      message: error.message.replace(/ PostgreSQL says: .*$/s, ""),
    };
  }
}

/** Lists the login's rights to end sessions, to access files and programs of the server, or to bypass row security. */
async function listExcessRights(transaction: Transaction): Promise<string[]> {
  const { rows } = await transaction.query(excessQuery);
  return rows.map(({ name }) => `${name}`);
}

const excessQuery = `
select 'superuser' as name from pg_catalog.pg_roles where rolname = current_user and rolsuper
union all select 'replication' from pg_catalog.pg_roles where rolname = current_user and rolreplication and not rolsuper
union all select 'bypassrls' from pg_catalog.pg_roles where rolname = current_user and rolbypassrls and not rolsuper
union all select r.rolname from pg_catalog.pg_roles r join pg_catalog.pg_roles me on me.rolname = current_user and not me.rolsuper
           where r.rolname in ('pg_signal_backend', 'pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
             and pg_catalog.pg_has_role(me.oid, r.oid, 'usage')`;
