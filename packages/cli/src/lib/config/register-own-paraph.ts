// A process that runs a user's module preloads this module. The query of this module's URL names the user's module.
import { registerHooks } from "node:module";
import { createOwnParaphResolver } from "./own-paraph-resolver.ts";

registerHooks({ resolve: createOwnParaphResolver(new URL(import.meta.url).searchParams.get("entry")) });
