import { expect, it } from "vitest";
import { connectDatabase } from "./database.ts";

it("a start without PostgreSQL fails with what failed, why and what to do, and without the password", async () => {
  // Port 1 is reserved, so nothing listens there.
  const failure = await connectDatabase("postgres://paraph:pass-canary@127.0.0.1:1/app").catch(
    (error: Error) => error,
  );
  expect(failure).toMatchObject({
    name: "DatabaseError",
    code: "database-unavailable",
    message:
      "Paraph cannot connect to PostgreSQL at `127.0.0.1:1/app`: connect ECONNREFUSED 127.0.0.1:1. Check that PostgreSQL runs there and accepts connections, and that the database URL is correct. Then start Paraph again.",
  });
});

it("the error also has a reason for a host with several addresses", async () => {
  await expect(connectDatabase("postgres://paraph:pass-canary@localhost:1/app")).rejects.toThrow(
    /^Paraph cannot connect to PostgreSQL at `localhost:1\/app`: .*ECONNREFUSED(?!.*pass-canary)/,
  );
});
