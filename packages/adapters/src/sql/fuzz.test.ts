import fc from "fast-check";
import { afterAll, expect, inject, it } from "vitest";
import { createSqlFixture, worldOf } from "./testing.ts";

const db = await createSqlFixture(inject("postgres"), { ddl: true });
afterAll(() => db[Symbol.asyncDispose]());
await db.sql("create table victims (id int primary key, name text)");
await db.sql("insert into victims values (1, 'a'), (2, 'b')");

const picture = async () => [
  await db.sql("select * from victims order by id"),
  await db.sql(
    "select oid::int, relname from pg_class where relnamespace = 'public'::regnamespace order by oid",
  ),
  await db.sql("select * from paraph_applied"),
];

/** Fragments of statements, and of texts that once escaped Paraph's checks of statements. */
const piece = fc.constantFrom(
  ...[
    "select",
    "update victims set",
    "delete from victims",
    "insert into victims",
    "values",
    "where",
    "with x as (",
  ],
  ...[
    ")",
    "(",
    ";",
    "--",
    "/*",
    "*/",
    "'",
    '"',
    "$$",
    "\\",
    "\n",
    "\0",
    "$1",
    "1",
    "*",
    ",",
    "=",
    "or",
    "true",
    "name",
    "id",
  ],
  ...[
    "from victims",
    "returning *",
    "commit",
    "rollback",
    "begin",
    "drop table victims",
    "truncate victims",
    "E'",
  ],
  ...[
    "union",
    "into other",
    "for update",
    "pg_sleep(9)",
    "nextval('s')",
    "set_config('role', 'x', false)",
    "U&'",
  ],
  ...[
    "create table other (id int)",
    "as",
    "explain",
    "analyze",
    "execute p",
    "set",
    "null",
    "limit 1",
    "copy",
    "do $$",
  ],
);
const statement = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(" "));

/** Set the variable to a higher number for a longer run. */
const numRuns = Number(process.env.PARAPH_FUZZ_RUNS ?? 150);

it("[P3] a query and a preview change nothing for any statement, and end in an answer or a CapabilityError", async () => {
  const before = await picture();
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(statement, async (sql) => {
      for (const run of [db.query.apply, db.execute.preview!]) {
        const end = await run({ sql, parameters: [] }, worldOf()).then(
          () => "answer",
          (error: Error) => error.name,
        );
        expect(["answer", "CapabilityError"]).toContain(end);
        if (end === "answer") answered += 1;
      }
    }),
    {
      numRuns,
      seed: 7,
      examples: [
        ["select * from victims"],
        ["delete from victims -- x"],
        ["update victims set name = 'x';"],
        ["drop table victims"],
      ],
    },
  );
  expect(answered).toBeGreaterThanOrEqual(4);
  expect(await picture()).toEqual(before);
});
