import type { Bug } from "./bug.ts";

const adapters = (path: string) => `packages/server/src/adapters/${path}`;

/** Mutations where foreign data decides: what a repository hides, a host echoes, an answer claims, a statement calls. */
export const foreignBugs: readonly Bug[] = [...repositories(), ...credentials()];

function repositories(): Bug[] {
  const shown = (title: string) => ({ file: adapters("git/shown.test.ts"), title });
  return [
    {
      name: "let attributes hide the text of a diff",
      file: adapters("git/repository.ts"),
      find: "Buffer.concat([attributes, everyTextShown])",
      replace: "attributes",
      caughtBy: shown("attributes do not hide the text that a commit changes"),
    },
    {
      name: "leave submodules out of what a push shows",
      file: adapters("git/difference.ts"),
      find: 'between.length === 2 ? "none" : "all"',
      replace: '"all"',
      caughtBy: shown("that a pushed commit points to is shown"),
    },
    {
      name: "let `.gitmodules` hide a submodule from the check",
      file: adapters("git/entries.ts"),
      find: ', "--ignore-submodules=none"],',
      replace: "],",
      caughtBy: shown("is not committed, also where `.gitmodules` hides it"),
    },
  ];
}

function credentials(): Bug[] {
  const echo = (form: string) => ({
    file: adapters("http/echo.test.ts"),
    title: `[TRUST 16] a credential that the host says back stays hidden, in ${form}`,
  });
  return [
    {
      name: "hide a credential only as it was sent",
      file: "packages/server/src/outbound/secret-forms.ts",
      find: "return [...new Set(forms)]",
      replace: "return [...new Set(forms.slice(0, 1))]",
      caughtBy: echo("base64 of more"),
    },
    {
      name: "look for a credential in the text of JSON only",
      file: "packages/server/src/outbound/answer.ts",
      find: "body: withoutSecretsIn(json, secrets)",
      replace: "body: jsonOf(withoutSecrets(text, secrets))!",
      caughtBy: echo("JSON in escapes"),
    },
    {
      name: "leave a credential in bytes that are no text",
      file: "packages/server/src/outbound/answer.ts",
      find: "withoutSecretBytes(whole, secrets).toString",
      replace: "whole.toString",
      caughtBy: echo("bytes that are no text"),
    },
    {
      name: "show a credential up to where an answer is cut",
      file: "packages/server/src/outbound/answer.ts",
      find: "if (!cut) return body;",
      replace: "return body;",
      caughtBy: echo("a body that is cut within it"),
    },
    {
      name: "quote a credential in the fault of an MCP server",
      file: adapters("mcp/server.ts"),
      find: "throw faultWithoutSecrets(faultOfRequest(error, effect), this.#secrets());",
      replace: "throw faultOfRequest(error, effect);",
      caughtBy: {
        file: adapters("mcp/stdio.test.ts"),
        title:
          "[TRUST 16] a secret is for the record neither in an error, nor in progress, nor as the name of a field",
      },
    },
    {
      name: "quote a credential in the fault of a push",
      file: adapters("git/with-remote.ts"),
      find: "throw faultWithoutSecrets(error, secrets);",
      replace: "throw error;",
      caughtBy: {
        file: adapters("git/push.test.ts"),
        title: "[TRUST 16] what the remote says back of the credential is not in the fault",
      },
    },
  ];
}
