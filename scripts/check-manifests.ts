// Validates the Kubernetes manifests of `deploy/` against the published schemas. Unknown fields are faults.
// Usage: npm run check:manifests -- swagger.json [crd.yaml …]
// `swagger.json` is api/openapi-spec/swagger.json of kubernetes/kubernetes. The others are CustomResourceDefinitions.
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { readManifests } from "../test/support/deploy-files.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly "x-kubernetes-group-version-kind"?: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }[];
}

const [swaggerFile, ...definitionFiles] = process.argv.slice(2);
if (swaggerFile === undefined)
  throw new Error("Name the file swagger.json of Kubernetes as the first argument.");
const { definitions } = JSON.parse(readFileSync(swaggerFile, "utf8")) as {
  readonly definitions: Readonly<Record<string, Schema>>;
};

/** The schemas by `apiVersion/kind`. */
const schemas = new Map<string, Schema>();
for (const schema of Object.values(definitions))
  for (const { group, version, kind } of schema["x-kubernetes-group-version-kind"] ?? [])
    schemas.set([group || [], version, kind].flat().join("/"), schema);
for (const file of definitionFiles) {
  const { spec } = parse(readFileSync(file, "utf8"));
  for (const { name, schema } of spec.versions)
    schemas.set(`${spec.group}/${name}/${spec.names.kind}`, {
      ...schema.openAPIV3Schema,
      properties: {
        ...schema.openAPIV3Schema.properties,
        metadata: { $ref: "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" },
      },
    });
}

const manifests = readManifests();
const faults = manifests.flatMap((manifest) => {
  const key = `${manifest.apiVersion}/${manifest.kind}`;
  const schema = schemas.get(key);
  const name = `${manifest.kind} ${manifest.metadata.name}`;
  return schema ? listFaults(manifest, schema, name) : [`${name}: no schema for ${key}`];
});
for (const fault of faults) console.error(fault);
console.log(`${manifests.length} manifests, ${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;

function listFaults(value: unknown, schema: Schema, place: string): string[] {
  if (schema.$ref) return listFaults(value, definitions[schema.$ref.replace("#/definitions/", "")]!, place);
  if (!hasType(value, schema)) return [`${place}: is not of type ${schema.type}`];
  if (schema.enum && !schema.enum.includes(value))
    return [`${place}: is not one of ${schema.enum.join(", ")}`];
  if (schema.pattern && !new RegExp(schema.pattern).test(String(value)))
    return [`${place}: does not match ${schema.pattern}`];
  if (Array.isArray(value))
    return value.flatMap((item, index) => listFaults(item, schema.items ?? {}, `${place}[${index}]`));
  if (typeof value !== "object" || value === null) return [];
  const missing = (schema.required ?? []).filter((name) => !(name in value));
  return [
    ...missing.map((name) => `${place}.${name}: is missing`),
    ...Object.entries(value).flatMap(([name, item]) => {
      const { properties, additionalProperties } = schema;
      const own = properties?.[name] ?? (typeof additionalProperties === "object" && additionalProperties);
      if (own) return listFaults(item, own, `${place}.${name}`);
      // A schema without any properties, such as an arbitrary object, allows all fields.
      return properties ? [`${place}.${name}: is not a known field`] : [];
    }),
  ];
}

function hasType(value: unknown, { type, format }: Schema): boolean {
  if (format === "int-or-string") return typeof value === "string" || Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  return type === undefined || type === typeof value;
}
