import { readFileSync } from "node:fs";
import { schemaFaults } from "@paraph/core";
import { describe, expect, it } from "vitest";
import { payloadNames } from "../packages/core/src/call.ts";
import { receiptMediaType, receiptType, statementType } from "../packages/core/src/receipts/receipt.ts";
import { configSchema } from "../packages/server/src/config/config-schema.ts";
import { findPolicyFaults } from "../packages/server/src/policy/policy-faults.ts";
import { instrumentKinds } from "../packages/server/src/telemetry/instruments.ts";
import { listAdapterOptions } from "../scripts/reference/adapters.ts";
import { listConfigSections } from "../scripts/reference/configuration.ts";
import {
  computedReads,
  documentedVariables,
  findReadVariables,
  ownVariables,
} from "../scripts/reference/environment.ts";
import { listEvents } from "../scripts/reference/events.ts";
import { readMetricLabels } from "../scripts/reference/metrics.ts";
import { referenceFolder, renderReferencePages } from "../scripts/reference/pages.ts";
import { readKey, readMembers, readSource } from "../scripts/reference/source.ts";

const pages = await renderReferencePages();

describe("the generated pages of docs/reference", () => {
  it.each(pages)("$name matches its source (run `npm run reference` after a change)", ({ name, text }) => {
    expect(readFileSync(new URL(name, referenceFolder), "utf8")).toBe(text);
  });

  it.each(pages)("$name says that it is generated, and has no empty table", ({ text }) => {
    expect(text.split("\n")[1]).toContain("npm run reference");
    expect(text).not.toMatch(/\| --- \|\n(?!\|)/);
    expect(text).not.toMatch(/undefined|\[object Object\]/);
  });
});

describe("the descriptions of the configuration", () => {
  const sections = listConfigSections();

  it("cover every key of the schema", () => {
    const rows = sections.flatMap(({ row, inner }) => [row, ...inner]);
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.filter(({ written }) => !written).map(({ path }) => path)).toEqual([]);
  });

  it("have an example for every key", () => {
    const missing = sections.flatMap(({ row, inner, example = "" }) =>
      [row, ...inner]
        .map(({ path }) => path)
        .filter((path) => !new RegExp(`\\b${path.split(".").at(-1)}\\b`).test(example)),
    );
    expect(missing).toEqual([]);
  });

  it("have only examples that the schema accepts", () => {
    for (const { example = "" } of sections.filter(({ example }) => !example?.startsWith("import "))) {
      const config = new Function(`return { ${example} };`)();
      expect(schemaFaults(configSchema, config)).toEqual([]);
      const { policies: _files, ...rest } = config;
      expect(findPolicyFaults(rest, "/nonexistent")).toEqual({ faults: [], others: [] });
    }
  });

  it("cover every option of the adapters", () => {
    const missing = listAdapterOptions().flatMap(({ factory, rows }) =>
      rows.filter(({ written }) => !written).map(({ path }) => `${factory}: ${path}`),
    );
    expect(missing).toEqual([]);
  });
});

describe("the list of environment variables", () => {
  const { names, computed } = findReadVariables();
  const known = new Set(documentedVariables.map(({ name }) => name));

  it("names every variable that the packages read", () => {
    const missing = [...names].filter(([name]) => !known.has(name) && !ownVariables.includes(name));
    expect(missing).toEqual([]);
    expect([...computed].sort()).toEqual(Object.keys(computedReads).sort());
    expect(
      Object.values(computedReads)
        .flat()
        .filter((name) => !known.has(name)),
    ).toEqual([]);
  });

  it("names no variable that no package reads", () => {
    const read = new Set([...names.keys(), ...Object.values(computedReads).flat()]);
    // OpenTelemetry's own exporters read these.
    read.add("OTEL_EXPORTER_OTLP_*");
    expect([...known].filter((name) => !read.has(name))).toEqual([]);
  });
});

it("every event and every field of its data has a description", () => {
  const missing = listEvents().flatMap(({ kind, meaning, fields }) => [
    ...(meaning === "" ? [kind] : []),
    ...fields.filter((field) => field.meaning === "").map(({ name }) => `${kind}.${name}`),
  ]);
  expect(missing).toEqual([]);
});

it("the sources measure every metric", () => {
  const labels = readMetricLabels();
  expect(Object.keys(instrumentKinds).filter((name) => !labels.has(name))).toEqual([]);
});

describe("docs/reference/receipt.md", () => {
  const page = readFileSync(new URL("receipt.md", referenceFolder), "utf8");
  /** Lists the fields of a section's table. A row such as `parent.call`, `parent.step` has several. */
  const listFields = (heading: string): Set<string> => {
    const [, section = ""] = page.split(`\n${heading}\n`);
    const rows = section.split(/\n#/)[0]!.matchAll(/^\| (`.*?) \|/gm);
    const paths = [...rows].flatMap(([, cell]) => [...cell!.matchAll(/`([^`]+)`/g)].map(([, path]) => path!));
    return new Set(paths.filter((path) => !path.startsWith(".")).map((path) => path.split(/[.[]/)[0]!));
  };
  const listMembers = (file: string, type: string): Set<string> =>
    new Set(readMembers(readSource(`packages/core/src/receipts/${file}`), type).map(readKey));

  it.each([
    ["## Document", "receipt.ts", "ReceiptBundle"],
    ["## Envelope", "dsse.ts", "Envelope"],
    ["## Statement", "receipt.ts", "Statement"],
    ["## Predicate", "receipt.ts", "ReceiptPredicate"],
  ])("%s has a row for each field of the type, and no other", (heading, file, type) => {
    expect(listFields(heading)).toEqual(listMembers(file, type));
  });

  it("describes every payload to which a receipt commits", () => {
    const committed = payloadNames.filter((name) => name !== "resolution");
    expect(listFields("### Commitments")).toEqual(new Set(committed));
  });

  it("names the media type and the predicate type of a receipt", () => {
    for (const name of [receiptType, statementType, receiptMediaType]) expect(page).toContain(`\`${name}\``);
  });
});
