// Loaded before anything else by a process that runs a user's module, which the query of this address names.
import { registerHooks } from "node:module";
import { createOwnParaphResolver } from "./own-paraph-resolver.ts";

registerHooks({ resolve: createOwnParaphResolver(new URL(import.meta.url).searchParams.get("entry")) });
