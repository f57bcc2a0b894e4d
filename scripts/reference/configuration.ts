import { configSchema } from "../../packages/server/src/config/config-schema.ts";
import { ruleSchema } from "../../packages/server/src/policy/cedar/rules/rule-schema.ts";
import { formatCodeBlock, formatPage, formatTable, wrapParagraph } from "./markdown.ts";
import { formatSchemaTable, listInnerRows, listSchemaRows, readMeta, type SchemaRow } from "./schema-rows.ts";

/** One top-level key of the configuration, with an example and the keys inside it. */
export interface ConfigSection {
  readonly row: SchemaRow;
  readonly example: string | undefined;
  readonly inner: readonly SchemaRow[];
}

/** Lists the top-level keys in the order of the schema. */
export function listConfigSections(): ConfigSection[] {
  return Object.entries(configSchema.shape).map(([key, value]) => {
    // The configuration's own schema accepts any rule. `ruleSchema` checks rules together with the policies.
    const inner = key === "rules" ? listSchemaRows(ruleSchema, "rules[]") : listInnerRows(value, key);
    const [row] = listSchemaRows(configSchema.pick({ [key]: true } as never));
    return { row: row!, example: readMeta(value).example as string | undefined, inner };
  });
}

/** The pages that say more about a key. */
const guides: Readonly<Record<string, string>> = {
  policy: "[Policy presets](presets.md) shows how each preset rules on typical calls.",
  policies: "[Policy](../guides/policy.md) explains how to write policies in Cedar.",
  rules: "[Policy](../guides/policy.md) explains the short form and Cedar.",
  adapters: "[Adapter options](adapters.md) lists the options of every adapter.",
  poll: "[Observations](../guides/observations.md) shows how to read what adapters observe.",
  checks: "[Checks](../guides/checks.md) describes every built-in check.",
  identity: "[Identity](../guides/identity.md) explains keys, scopes and OpenID Connect.",
  webhooks: "[Webhooks](../guides/webhooks.md) explains the format, the signature and retries.",
  metrics: "[Metrics](metrics.md) lists every metric.",
  worker: "[Production](../operate/production.md) explains workers on several hosts.",
  capabilities: "[Write an adapter](../guides/write-an-adapter.md) explains contracts and previews.",
};

export function renderConfigurationPage(): string {
  const sections = listConfigSections();
  return formatPage(
    "Configuration reference",
    wrapParagraph(
      "Every key of `paraph.config.ts`, with its type, its default and an example. All keys are optional. Paraph rejects unknown keys and suggests the key that you probably meant. [Configuration](../guides/configuration.md) explains how Paraph reads and checks the file.",
    ),
    formatCodeBlock(
      "ts",
      `import { defineConfig, files } from "paraph";

export default defineConfig({
  policy: "balanced",
  adapters: { files: files({ root: "./workspace" }) },
  limits: [{ per: "principal", calls: 100, window: "1h" }],
});`,
    ),
    formatTable(
      ["Key", "Description"],
      sections.map(({ row }) => [`[\`${row.path}\`](#${row.path})`, row.description]),
    ),
    wrapParagraph(
      "A `duration` is a number with a unit (`ms`, `s`, `m`, `h` or `d`), such as `30s` or `24h`. In the tables, `[]` stands for each element of a list, and `<name>` for a name of your choice.",
    ),
    ...sections.flatMap(formatSection),
  );
}

function formatSection({ row, example = "", inner }: ConfigSection): string[] {
  const { path, description, type, default: fallback } = row;
  const facts = [`Type: ${type}.`, ...(fallback === "" ? [] : [`Default: ${fallback}.`])];
  return [
    `## ${path}`,
    wrapParagraph(
      [description, ...(inner.length > 0 ? facts.slice(1) : facts), guides[path] ?? ""]
        .filter(Boolean)
        .join(" "),
    ),
    formatCodeBlock(example.startsWith("import ") ? "ts" : "ts config", example),
    ...(inner.length > 0
      ? [formatContainer(inner[0]!.path.slice(path.length)), formatRows(inner, path)]
      : []),
  ];
}

/** Returns the sentence before the table: the section holds one object, a list of objects or objects by name. */
function formatContainer(rest: string): string {
  if (rest.startsWith("[]")) return "Each element has these keys:";
  return rest.startsWith(".<name>") ? "Each name has these keys:" : "It has these keys:";
}

function formatRows(rows: readonly SchemaRow[], section: string): string {
  const start = new RegExp(`^${section}(\\[\\]|\\.<name>)?\\.`);
  return formatSchemaTable(rows.map((row) => ({ ...row, path: row.path.replace(start, "") })));
}
