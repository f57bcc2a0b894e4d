import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "@babel/parser";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A node of Babel's syntax tree. The pages read few parts of it, so its fields are not typed. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly leadingComments?: readonly { readonly value: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: Babel's types are not a dependency.
  readonly [field: string]: any;
}

/** The syntax tree of a file with its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly program: SyntaxNode;
}

/** Parses a source file, by its path in the repository. */
export function readSource(path: string): SourceFile {
  const text = readFileSync(`${root}${path}`, "utf8");
  const { program } = parse(text, { sourceType: "module", plugins: ["typescript"] });
  return { path, text, program: program as unknown as SyntaxNode };
}

/** Lists the sources of all packages, without tests and their helpers. */
export function listProductSources(): string[] {
  return execFileSync(
    "git",
    ["ls-files", "--cached", "--others", "--exclude-standard", "packages/*/src/**.ts"],
    {
      cwd: root,
      encoding: "utf8",
    },
  )
    .trim()
    .split("\n")
    .filter((path) => !/\.test\.ts$|\/testing(?:\/|\.ts$)|\/test-[a-z-]+\.ts$|\/conformance\//.test(path))
    .sort();
}

/** Returns every node below a node, in the order of the text. */
export function* walkNodes(node: SyntaxNode): Generator<SyntaxNode> {
  yield node;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child === "object" && child !== null && typeof child.type === "string" && "start" in child)
        yield* walkNodes(child as SyntaxNode);
    }
  }
}

/** Returns the TSDoc comment of a node as one line, or an empty text. */
export function readDoc({ leadingComments = [] }: SyntaxNode): string {
  const comment = leadingComments.findLast(({ value }) => value.startsWith("*"));
  return (comment?.value ?? "")
    .replaceAll(/^\s*\*+/gm, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/\[(?:P|TRUST )\d+\] /g, "")
    .trim();
}

/** Returns the members of an interface, or of a type that is an object literal. */
export function readMembers({ program, path }: SourceFile, name: string): SyntaxNode[] {
  for (const node of program.body as SyntaxNode[]) {
    const declared: SyntaxNode = node.declaration ?? node;
    if (declared.id?.name !== name) continue;
    if (declared.type === "TSInterfaceDeclaration") return declared.body.body;
    if (declared.typeAnnotation?.type === "TSTypeLiteral") return declared.typeAnnotation.members;
  }
  throw new Error(`${path} declares no object type \`${name}\`.`);
}

/** Returns the name of a property, whether it is an identifier or a text. */
export function readKey({ key }: SyntaxNode): string {
  return key.name ?? key.value;
}
