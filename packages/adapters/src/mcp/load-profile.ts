import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ParaphError } from "@paraph/core";
import { parse } from "yaml";
import { type Profile, profileDocument, shippedProfiles } from "./profile/profile.ts";

/** Loads a profile by the name of a shipped profile or by a file path. */
export async function loadProfile(named: string, folder: string): Promise<Profile> {
  const path = (shippedProfiles as readonly string[]).includes(named)
    ? fileURLToPath(new URL(`./profiles/${named}.yaml`, import.meta.url))
    : resolve(folder, named);
  if (!/\.ya?ml$/.test(path))
    throw profileFault(
      named,
      `it does not exist. Use a path that ends with .yaml, or one of ${shippedProfiles.join(", ")}`,
    );
  const read = profileDocument.safeParse(await readProfileFile(path, named));
  if (read.success) return read.data;
  const faults = read.error.issues.map(
    (issue) => `\n  - ${issue.path.join(".") || "(the whole)"}: ${issue.message}`,
  );
  throw profileFault(named, `it is invalid:${faults.join("")}`);
}

async function readProfileFile(path: string, named: string): Promise<unknown> {
  const text = await readFile(path, "utf8").catch(() => {
    throw profileFault(named, "Paraph cannot read the file. Check its path and its permissions");
  });
  if (text.length > maxFileLength) throw profileFault(named, "it is larger than 512 KiB");
  try {
    return parse(text, { uniqueKeys: true, maxAliasCount: 50 });
  } catch {
    throw profileFault(named, "it is not valid YAML");
  }
}

function profileFault(named: string, message: string): ParaphError {
  return new ParaphError(
    "adapter-invalid",
    `Paraph cannot use the profile \`${named}\`, because ${message}.`,
  );
}

const maxFileLength = 512 * 1024;
