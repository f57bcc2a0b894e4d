import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";

const folder = fileURLToPath(new URL("../../deploy/", import.meta.url));

// biome-ignore lint/suspicious/noExplicitAny: each test reads other fields of these documents.
export type Manifest = any;

export const readDeployFile = (name: string): string => readFileSync(folder + name, "utf8");

/** Reads every Kubernetes manifest, in the order of the files. Kubernetes reads YAML 1.1, in which 0440 is octal. */
export function readManifests(): Manifest[] {
  return readdirSync(`${folder}kubernetes`)
    .sort()
    .flatMap((file) => parseAllDocuments(readDeployFile(`kubernetes/${file}`), { version: "1.1" }))
    .map((document) => document.toJS());
}

export function findManifest(kind: string, name: string): Manifest {
  return readManifests().find((each) => each.kind === kind && each.metadata.name === name);
}

/** Reads the Compose file with its anchors merged. */
export const readCompose = (): Manifest => parse(readDeployFile("compose/compose.yaml"), { merge: true });
