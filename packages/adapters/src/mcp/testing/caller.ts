import { mcp } from "../index.ts";
import { createMcpFixture, createMcpTestContext } from "./fixture.ts";

/** A separate process that opens the adapter and calls it repeatedly. Every token it reads is already expired. */
const [folder = "", url = "", times = "1"] = process.argv.slice(2);
await using fixture = await createMcpFixture(mcp.http(url, { oauth: { login: true } }), folder);
const echo = await fixture.capability("echo");
for (let call = 0; call < Number(times); call++) await echo.apply({ text: "hello" }, createMcpTestContext());
