// An agent in a process of its own, that performs one call itself: `URL`, `KEY`, `ORACLE_URL` and `NAME` say which.
import { createClient, governed } from "@paraph/sdk";

const env = (name: string): string => process.env[name] ?? "";
const client = createClient({ url: env("URL"), key: env("KEY") });
const act = governed<{ name: string }, { done: boolean }>(client, {
  capability: env("CAPABILITY"),
  async execute({ name }, { call, signal }) {
    const body = JSON.stringify({ call, key: call, name });
    await fetch(`${env("ORACLE_URL")}/apply/none`, { method: "POST", body, signal });
    return { done: true };
  },
});
const result = await act.call({ name: env("NAME") }, { key: env("NAME") });
process.stdout.write(`${JSON.stringify(result)}\n`);
