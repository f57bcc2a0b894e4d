import type { Query } from "../database.ts";

/** The size of the database, and where it is. */
export interface Storage {
  readonly databaseBytes: number;
  /** The folder of the server's data, or undefined if the login may not see it. */
  readonly dataFolder?: string;
}

export async function readStorage(query: Query): Promise<Storage> {
  const [row] = await query<{ databaseBytes: number; dataFolder: string | null }>(`
    select pg_database_size(current_database())::float8 as "databaseBytes",
           (select setting from pg_settings where name = 'data_directory') as "dataFolder"`);
  const { databaseBytes, dataFolder } = row!;
  return { databaseBytes, ...(dataFolder && { dataFolder }) };
}
