import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type AdapterContext, adapterInterfaceVersion, defineAdapter, type OpenAdapter } from "./adapter.ts";

const context: AdapterContext = {
  name: "shop",
  folder: "/config",
  signal: new AbortController().signal,
  credential: async (name) => `the value of ${name}`,
  announceChange: () => {},
};
const config = z.strictObject({
  url: z.string(),
  pageSize: z.int().default(50),
  token: z.string().optional(),
});

describe("the options of an adapter", () => {
  it("reach it with their defaults, and without the options that every adapter takes", async () => {
    const opened: unknown[] = [];
    const open = (options: unknown): OpenAdapter => {
      opened.push(options);
      return { capabilities: async () => [] };
    };
    const adapter = defineAdapter({ kind: "shop", config, open })({
      url: "https://shop.test",
      tenants: ["acme"],
    });
    expect(adapter).toMatchObject({
      interfaceVersion: adapterInterfaceVersion,
      kind: "shop",
      tenants: ["acme"],
      faults: [],
    });
    await adapter.open(context);
    expect(opened).toEqual([{ url: "https://shop.test", pageSize: 50 }]);
  });

  it("keep the adapter closed if they have faults, and its error names each fault", async () => {
    const open = () => {
      throw new Error("opened");
    };
    const shop = defineAdapter({
      kind: "shop",
      config,
      open,
      inspectFiles: async () => ({ paths: [], faults: [] }),
    });
    const adapter = shop({ url: 7, tenants: ["No Id"] } as never);
    expect(adapter.faults?.map(({ path }) => path)).toEqual([["tenants"], ["url"]]);
    // The files that invalid options name are not known.
    expect(adapter.inspectFiles).toBeUndefined();
    await expect(adapter.open(context)).rejects.toThrow(
      'The configuration of adapter `shop` is invalid:\n  - `tenants`: expected a list of tenant ids, such as `["acme"]`\n  - `url`: expected string, received number',
    );
  });

  it.each([
    ["text", "https://shop.test"],
    ["nothing", undefined],
    ["a list", ["https://shop.test"]],
  ])("that are no object, such as %s, are a fault of the whole", async (_what, options) => {
    const adapter = defineAdapter({ kind: "shop", config, open: () => ({ capabilities: async () => [] }) })(
      options as never,
    );
    await expect(adapter.open(context)).rejects.toThrow("\n  - `shop`: expected object");
  });

  it("name the secrets that they reference, at any depth and once", () => {
    const open = () => ({ capabilities: async () => [] });
    const anyOptions = defineAdapter({ kind: "shop", config: z.unknown(), open });
    const secret = (name: string) => `\${${name}}`;
    const headers = [{ key: `Bearer ${secret("TOKEN")}` }];
    const options = { url: `https://${secret("HOST")}/${secret("TOKEN")}`, headers, size: 5, none: null };
    expect(anyOptions(options).secrets).toEqual(["HOST", "TOKEN"]);
    expect(anyOptions(`postgres://${secret("DATABASE-1")}`).secrets).toEqual(["DATABASE-1"]);
  });

  it("lead to the files that define its capabilities", async () => {
    const adapter = defineAdapter({
      kind: "shop",
      config,
      open: () => ({ capabilities: async () => [] }),
      inspectFiles: async ({ url }, { folder }) => ({ paths: [`${folder}/${url}`], faults: [] }),
    })({ url: "tools.yaml" });
    expect(await adapter.inspectFiles?.(context)).toEqual({ paths: ["/config/tools.yaml"], faults: [] });
  });
});

it.each<[string, object]>([
  ["a kind in upper case", { kind: "Shop" }],
  ["no kind", { kind: undefined }],
  ["no function to open it", { open: undefined }],
  ["no schema of its options", { config: undefined }],
])("a definition with %s is rejected", (_what, change) => {
  const definition = { kind: "shop", config, open: () => ({ capabilities: async () => [] }), ...change };
  expect(() => defineAdapter(definition as never)).toThrow("is not a valid adapter definition");
});
