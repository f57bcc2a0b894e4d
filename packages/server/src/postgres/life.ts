import { Client } from "pg";

/**
 * This process as the database knows it: a number held as a session lock, free the moment the connection is gone.
 * A segment that finds an intent of a life whose lock is free need not wait for the intent's deadline.
 */
export interface Life {
  readonly number: number;
  end(): Promise<void>;
}

export async function beginLife(url: string): Promise<Life> {
  let ended = false;
  let client = await hold(url, undefined);
  const { number } = client;
  const revive = async () => {
    for (let pause = 50; !ended; pause = Math.min(pause * 2, 1_000)) {
      try {
        client = await hold(url, number);
        client.connection.once("end", revive);
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, pause).unref());
      }
    }
  };
  client.connection.once("end", revive);
  return {
    number,
    async end() {
      ended = true;
      await client.connection.end();
    },
  };
}

async function hold(
  url: string,
  number: number | undefined,
): Promise<{ connection: Client; number: number }> {
  const connection = new Client({
    connectionString: url,
    options: "-c role=paraph_app",
    application_name: "paraph_life",
    keepAlive: true,
  });
  connection.on("error", () => {});
  await connection.connect();
  const life = number ?? Number((await connection.query("select nextval('paraph.life') as n")).rows[0].n);
  const { rows } = await connection.query("select pg_try_advisory_lock(7412, $1) as held", [life]);
  if (!rows[0].held) {
    // A reader tests the lock for the length of its statement, and an old session may linger: try again.
    await connection.end();
    throw new Error("life lock busy");
  }
  return { connection, number: life };
}
