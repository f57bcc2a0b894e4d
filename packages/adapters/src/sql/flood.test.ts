// Data from a database is untrusted. Data of any size and content may end only the connection.
import { once } from "node:events";
import { createServer } from "node:net";
import { afterAll, expect, inject, it } from "vitest";
import { readFault } from "../testing.ts";
import { MessageGuard } from "./connection/message-guard.ts";
import { createSqlFixture, perform, previewInput } from "./testing.ts";

const db = await createSqlFixture(inject("postgres"));
afterAll(() => db[Symbol.asyncDispose]());
const repeated = (count: number) => ({ sql: "select repeat('x', $1)", parameters: [count] });

it("[TRUST 29] a value beyond the maximum string length ends its call, not the process", async () => {
  expect(await readFault(perform(db.query, repeated(540_000_000)))).toBe("permanent answer-too-large");
  expect((await perform(db.query, { sql: "select 1" })).rows).toEqual([[1]]);
});

it("[TRUST 29] an oversized row or error is rejected by its length before it is buffered; many rows are not", async () => {
  const ends = [
    repeated(17_000_000),
    { sql: "select repeat('x', 17000000)::int" },
    { sql: "select repeat('x', 15000000) from generate_series(1, 100) offset 0", limit: 100 },
  ].map((input) => readFault(perform(db.query, input)));
  expect(await Promise.all(ends)).toEqual([
    "permanent answer-too-large",
    "permanent answer-too-large",
    "no fault",
  ]);
  expect((await perform(db.query, repeated(5_000_000))).truncated).toBe(true);
});

it("[TRUST 29] a preview of huge values shows excerpts and stays small", async () => {
  await db.sql("create table large (id int primary key, text text)");
  const { changes } = await previewInput(db.execute, {
    sql: "insert into large select n, repeat('x', 3000000) from generate_series(1, 6) n",
  });
  expect(JSON.stringify(changes).length).toBeLessThan(20_000);
});

it("[TRUST 29] an invalid protocol message of the server ends only its connection", async () => {
  const nonsense = [
    Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n"),
    // The messages are: an unknown kind of authentication, a row before any statement, a length below the minimum, and
    // an endless notice.
    Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 1, 0]),
    Buffer.from([0x44, 0, 0, 0, 6, 0xff, 0xff]),
    Buffer.from([0x5a, 0, 0, 0, 0]),
    Buffer.from([0x4e, 0xff, 0xff, 0xff, 0xff]),
  ];
  for (const bytes of nonsense) {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => void socket.end(bytes));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const strange = await db.with({}, `postgres://somebody@127.0.0.1:${port}/nothing`);
    expect(await readFault(perform(strange.query, { sql: "select 1" })), bytes.toString("hex")).toMatch(
      /^(?:permanent answer-(?:too-large|unreadable)|not-performed database-unavailable)$/,
    );
    server.close();
  }
});

it("[TRUST 29] the length limits apply however the bytes are split into chunks", () => {
  const message = (letter: string, length: number) => {
    const bytes = Buffer.alloc(1 + length);
    bytes.write(letter);
    bytes.writeUInt32BE(length, 1);
    return bytes;
  };
  const whole = Buffer.concat([message("D", 10), message("Z", 5), message("N", 4), message("D", 300)]);
  for (let size = 1; size <= whole.length; size++) {
    const guard = new MessageGuard();
    const send = (bytes: Buffer) => {
      for (let at = 0; at < bytes.length; at += size) guard.watch(bytes.subarray(at, at + size));
    };
    expect(() => send(whole)).not.toThrow();
    expect(() => send(Buffer.from([0x44, 1, 0, 0, 1]))).toThrow("more than the limit");
  }
  const guard = new MessageGuard();
  const row = message("D", 10_000_000);
  const rows = (count: number) => {
    for (let n = 0; n < count; n++) guard.watch(row);
  };
  rows(6);
  guard.watch(message("Z", 5));
  rows(6);
  expect(() => rows(1)).toThrow("more than the limit");
});
