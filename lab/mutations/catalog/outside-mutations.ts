import { corePath, type Mutation } from "../mutation.ts";

const adapterPath = (path: string) => `packages/adapters/src/${path}`;

/**
 * Mutations of the parts of Paraph that touch other systems: the sandbox, addresses, capability errors and previews.
 */
export const outsideMutations: readonly Mutation[] = [
  ...listSandboxMutations(),
  ...listAddressMutations(),
  ...listFaultMutations(),
  ...listPreviewMutations(),
];

function listSandboxMutations(): Mutation[] {
  const kernel = (title: string) => ({ file: adapterPath("process/sandbox/kernel.test.ts"), title });
  return [
    {
      name: "let root write kernel settings",
      file: adapterPath("process/sandbox/sandbox.ts"),
      find: '["/", "/dev", "/proc"].flatMap',
      replace: '["/", "/dev"].flatMap',
      caughtBy: kernel("a program cannot open kernel settings for writing, even as root"),
    },
    {
      name: "show the kernel's own files",
      file: adapterPath("process/sandbox/kernel-files.ts"),
      find: "if (isForAll && !alwaysMasked.has(name)) return [];",
      replace: "if (isForAll || !alwaysMasked.has(name)) return [];",
      caughtBy: kernel("a program cannot read files that only root may read or that container runtimes hide"),
    },
    {
      name: "run without a system call filter",
      file: adapterPath("process/sandbox/sandbox.ts"),
      find: '"--new-session", "--seccomp", "7"]',
      replace: '"--new-session"]',
      caughtBy: kernel("a program cannot make system calls that container runtimes deny"),
    },
    {
      name: "let 32-bit programs past the filter",
      file: adapterPath("process/sandbox/seccomp.ts"),
      find: "...[jump(equal, auditArch[column]!, 1, 0), returnAction(killProcess)],",
      replace: "",
      caughtBy: {
        file: adapterPath("process/sandbox/seccomp.test.ts"),
        title:
          "[TRUST 18] the filter kills a program of another architecture, because its system call numbers differ",
      },
    },
    {
      name: "open the terminal as root",
      file: adapterPath("terminal/index.ts"),
      find: "requireNotRoot(configured, outer.name);",
      replace: "",
      caughtBy: {
        file: adapterPath("terminal/index.test.ts"),
        title: "[TRUST 18] does not open as root unless the configuration allows it",
      },
    },
  ];
}

function listAddressMutations(): Mutation[] {
  const http = (title: string) => ({ file: adapterPath("http/http.test.ts"), title });
  return [
    {
      name: "let the URL parser resolve a path after policy",
      file: "packages/adapters/src/egress/canonical-url.ts",
      find: "const why = findPathFault(written);",
      replace: "const why = undefined as string | undefined;",
      caughtBy: http(
        '"/safe/%2e%2e/admin-delete-everything" is sent exactly as policy ruled on it, or not at all',
      ),
    },
    {
      name: "send a URL in another spelling than the accepted one",
      file: adapterPath("http/request-url.ts"),
      find: " || read.url.href !== raw",
      replace: "",
      caughtBy: http("a URL that was accepted without its canonical spelling is not sent"),
    },
    {
      name: "follow a redirect that nobody ruled on",
      file: adapterPath("http/perform-request.ts"),
      find: "maxBytes: config.maxBytes,",
      replace: "maxBytes: config.maxBytes, mayFollow: () => true,",
      caughtBy: http("a redirect within the host is not followed, because policy did not rule on its target"),
    },
    {
      name: "take one header under two names",
      file: adapterPath("http/capabilities.ts"),
      find: "return new Set(names).size === names.length;",
      replace: "return new Set(names).size > -1;",
      caughtBy: http(
        "headers have the name and value that are sent, and a name that occurs twice is rejected",
      ),
    },
    {
      name: "let an object set another parameter",
      file: adapterPath("openapi/request-url.ts"),
      find: "if (made.some(([name]) => taken.includes(name))) throw queryInvalidFault(parameter.field);",
      replace: "void [taken, queryInvalidFault];",
      caughtBy: {
        file: adapterPath("openapi/document.test.ts"),
        title:
          "[TRUST 30] an object in the query cannot set a parameter that has its own field, nor the secret's parameter",
      },
    },
    {
      name: "show a file's path in the agent's spelling",
      file: adapterPath("files/context.ts"),
      find: '.overwrite(normalizeOrKeep((path) => parsePathNames(path).join("/")))',
      replace: ".overwrite(normalizeOrKeep((path) => (parsePathNames(path), path)))",
      caughtBy: { file: adapterPath("normalize-text.test.ts"), title: "files a//b" },
    },
  ];
}

function listFaultMutations(): Mutation[] {
  const shape = (title: string) => ({ file: corePath("capability/known-errors.test.ts"), title });
  return [
    {
      name: "call a client's own time-out a failure",
      file: corePath("capability/known-errors.ts"),
      find: '"ambiguous", "AbortError", "TimeoutError"),',
      replace: '"ambiguous", "AbortError"),',
      caughtBy: shape("ambiguous: AbortSignal.timeout"),
    },
    {
      name: "overlook the status of a response",
      file: corePath("capability/error-traits.ts"),
      find: "const all = [status, statusCode, inner.status, inner.statusCode, aws];",
      replace: "const all = [status, aws];",
      caughtBy: shape("not-performed: axios, 429"),
    },
    {
      name: "call an unknown error from the wire a failure",
      file: corePath("capability/fault.ts"),
      find: 'return traits.fromTheWire ? "ambiguous" : undefined;',
      replace: 'return "permanent";',
      caughtBy: {
        file: corePath("capability/fault.test.ts"),
        title: "an unlisted network code is ambiguous, and an unlisted code of the capability is permanent",
      },
    },
  ];
}

function listPreviewMutations(): Mutation[] {
  const incomplete = (title: string) => ({
    file: corePath("pipeline/admission/incomplete-preview.test.ts"),
    title,
  });
  return [
    {
      name: "ask about what is not shown in full",
      file: corePath("pipeline/admission/evaluate.ts"),
      find: "return isPreviewIncomplete(preview)",
      replace: "return isPreviewIncomplete(undefined)",
      caughtBy: incomplete(
        "[TRUST 6] a call that needs approval and has an incomplete preview is refused, and no approver is asked",
      ),
    },
    {
      name: "ask again about what is not shown in full",
      file: corePath("pipeline/execution/revalidate.ts"),
      find: 'if (isPreviewIncomplete(current)) return closeBeforeActing(call, "refused", "preview-incomplete", ports);',
      replace: "void isPreviewIncomplete;",
      caughtBy: incomplete(
        "[TRUST 6] an approved call is refused, not asked again, if its basis changed and its new preview is incomplete",
      ),
    },
    {
      name: "cut a diff without a mark",
      file: adapterPath("git/commits/tree-diff.ts"),
      find: "...((truncated || left > 0) && { incomplete: true as const }),",
      replace: "",
      caughtBy: {
        file: adapterPath("git/reads.test.ts"),
        title:
          "[TRUST 6] a commit whose diff does not fit is marked as incomplete, so that it cannot be approved",
      },
    },
  ];
}
