// Writes the contracts of the shipped capabilities and documents to contracts/, and rejects breaking changes of
// released ones.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { toolsDocument } from "@paraph/adapters/yaml";
import {
  type Contract,
  documentIncompatibilities,
  incompatibilities,
  type Json,
  planDocument,
  toolChain,
} from "@paraph/core";
import { z } from "zod";
import { mcpDocument } from "../packages/adapters/src/mcp/document.ts";
import { profileDocument } from "../packages/adapters/src/mcp/profile/profile.ts";
import { createOpenApiDocument } from "../packages/server/src/http/index.ts";
import { adapterSections, builtinSections } from "./shipped-capabilities.ts";

const folder = fileURLToPath(new URL("../contracts/", import.meta.url));

export const toContractFile = ({ name, version }: Contract): string =>
  join(folder, `${name}.v${version}.json`);

export const readReleasedContract = (contract: Contract): Contract | undefined =>
  existsSync(toContractFile(contract))
    ? (JSON.parse(readFileSync(toContractFile(contract), "utf8")) as Contract)
    : undefined;

export const formatContract = (contract: Contract): string => `${JSON.stringify(contract, null, 2)}\n`;

/** The documents that callers write, by schema version. A released schema changes only to accept more. */
export const contractDocuments = [
  loadDocument("plan.v1.json", planDocument),
  loadDocument("executor/toolchain.v1.json", toolChain),
  loadDocument("tools.v1.json", toolsDocument),
  loadDocument("mcp-profile.v1.json", profileDocument),
  loadDocument("mcp-servers.v1.json", mcpDocument),
];

function loadDocument(name: string, schema: z.ZodType) {
  const file = join(folder, name);
  const current = z.toJSONSchema(schema, { io: "input" }) as Json;
  const released = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Json) : current;
  return { name, file, released, current, text: `${JSON.stringify(current, null, 2)}\n` };
}

export const openApiFile = join(folder, "openapi.json");

/** Formats the OpenAPI document, from which users generate clients. */
export const formatOpenApi = (): string => `${JSON.stringify(createOpenApiDocument(), null, 2)}\n`;

/** Returns the contracts of all capabilities that ship with Paraph. Those of adapters have a typical adapter's name. */
export async function readShippedContracts(): Promise<readonly Contract[]> {
  const lists = await Promise.all([...builtinSections, ...adapterSections].map(({ list }) => list()));
  return lists.flat().map(({ contract }) => contract);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(folder, { recursive: true });
  for (const contract of await readShippedContracts()) {
    const broken = incompatibilities(readReleasedContract(contract) ?? contract, contract);
    if (broken.length > 0) {
      console.error(
        `${contract.name}.v${contract.version} is released; raise its version, because: ${broken.join("; ")}.`,
      );
      process.exitCode = 1;
      continue;
    }
    writeFileSync(toContractFile(contract), formatContract(contract));
    console.log(toContractFile(contract));
  }
  for (const { name, file, released, current, text } of contractDocuments) {
    const broken = documentIncompatibilities(released, current);
    if (broken.length > 0) {
      console.error(`${name} is released; write the next version, because: ${broken.join("; ")}.`);
      process.exitCode = 1;
      continue;
    }
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.log(file);
  }
  writeFileSync(openApiFile, formatOpenApi());
  console.log(openApiFile);
}
