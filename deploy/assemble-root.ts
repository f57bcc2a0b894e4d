// Runs in the first stage of the Dockerfile. Copies Node and the libraries that it loads into the root of the image, and
// adds them to the bill of materials. Usage: node assemble-root.ts SBOM TARGET
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

interface Component {
  readonly type: "library" | "platform";
  readonly name: string;
  readonly version: string;
  readonly purl?: string;
  readonly components?: readonly Component[];
}

const [billFile, target] = process.argv.slice(2) as [string, string];
const root = join(target, "root");
const user = 10_001;

const libraries = listLibraries(process.execPath);
for (const file of [process.execPath, ...libraries]) copy(realpathSync(file), file);
const packages = [...new Set(libraries.map(findDebianPackage))].sort();
for (const name of packages) describePackage(name);
if (existsSync("/etc/debian_version")) copy(realpathSync("/etc/os-release"), "/etc/os-release");

write("/etc/passwd", `paraph:x:${user}:${user}::/var/lib/paraph:/nonexistent\n`);
write("/etc/group", `paraph:x:${user}:\n`);
write("/etc/nsswitch.conf", "hosts: files dns\n");
mkdirSync(join(root, "srv/paraph"), { recursive: true });
mkdirSync(join(root, "tmp"));
chmodSync(join(root, "tmp"), 0o1777);
mkdirSync(join(target, "state/paraph/workspace"), { recursive: true });
chmodSync(join(target, "state/paraph"), 0o700);

const bill = JSON.parse(readFileSync(billFile, "utf8"));
bill.components.push(describeNode(), ...packages.map(toComponent));
write("/usr/share/paraph/sbom.cdx.json", `${JSON.stringify(bill, null, 2)}\n`);

/** Returns the shared libraries and the loader of a program, as the program names them. */
function listLibraries(program: string): string[] {
  const output = execFileSync("ldd", [program], { encoding: "utf8" });
  return [...output.matchAll(/(\/\S+) \(0x/g)].map(([, file]) => file!);
}

/** Finds a package by the name of its file, because the package may list it below `/usr/lib` instead of `/lib`. */
function findDebianPackage(file: string): string {
  const output = execFileSync("dpkg-query", ["--search", `*/${basename(realpathSync(file))}`], {
    encoding: "utf8",
  });
  return output.slice(0, output.search(/[:,]/));
}

/** Keeps the licence, and the record in which vulnerability scanners find the version. */
function describePackage(name: string): void {
  copy(`/usr/share/doc/${name}/copyright`);
  const record = execFileSync("dpkg-query", ["--status", name], { encoding: "utf8" });
  write(`/var/lib/dpkg/status.d/${name}`, record);
}

function toComponent(name: string): Component {
  const format = `-f=\${Version} \${Architecture}`;
  const [version = "", architecture] = execFileSync("dpkg-query", ["--show", format, name], {
    encoding: "utf8",
  }).split(" ");
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`;
  return { type: "library", name, version, purl };
}

/** Describes Node with the libraries that are compiled into it, such as OpenSSL. */
function describeNode(): Component {
  const { node: version, modules: _, napi: __, ...parts } = process.versions;
  return {
    type: "platform",
    name: "node",
    version,
    purl: `pkg:generic/node@${version}`,
    components: Object.entries(parts).flatMap(([name, of]) =>
      of ? [{ type: "library", name, version: of }] : [],
    ),
  };
}

function copy(from: string, to = from): void {
  mkdirSync(dirname(join(root, to)), { recursive: true });
  cpSync(from, join(root, to));
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}
