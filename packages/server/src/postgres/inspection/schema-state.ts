import type { Query } from "../database.ts";
import { readGeneration } from "../generation.ts";
import { withRole } from "./with-role.ts";

/** The version of PostgreSQL, and of the schema compared with this version of Paraph. */
export interface SchemaState {
  /** For example `17.5`. */
  readonly postgres: string;
  /** For example 17. */
  readonly postgresMajor: number;
  /** The generation in the database, or undefined if the database is not migrated. */
  readonly generation?: number;
  /** The oldest generation of Paraph that the database supports. */
  readonly serves: number;
  /** The generation that this version of Paraph needs. */
  readonly needed: number;
  /** The indexes whose build did not finish. */
  readonly invalidIndexes: readonly string[];
}

export async function readSchemaState(query: Query): Promise<SchemaState> {
  const [row] = await query<{
    postgres: string;
    postgresMajor: number;
    migrated: boolean;
    invalid: string[];
  }>(
    `select split_part(current_setting('server_version'), ' ', 1) as postgres,
            current_setting('server_version_num')::int / 10000 as "postgresMajor",
            exists (select from pg_proc where proname = 'schema_generation'
                    and pronamespace = to_regnamespace('paraph')) as migrated,
            array(select c.relname::text from pg_index i join pg_class c on c.oid = i.indexrelid
                  where c.relnamespace = to_regnamespace('paraph') and not i.indisvalid order by 1) as invalid`,
  );
  const { postgres, postgresMajor, migrated, invalid } = row!;
  const [found] = migrated
    ? await withRole(query, "paraph_app", () =>
        query<{ generation: number; serves: number }>(
          "select generation, serves from paraph.schema_generation()",
        ),
      )
    : [];
  return {
    ...{ postgres, postgresMajor, serves: found?.serves ?? 0, invalidIndexes: invalid },
    ...(found && { generation: found.generation }),
    needed: (await readGeneration()).generation,
  };
}
