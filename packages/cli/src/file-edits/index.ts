export { applyEdits } from "./apply.ts";
export { type Editable, edited, type FileEdit, openForEdit, type Piece } from "./file-edit.ts";
export { type JsonNode, jsonTree, memberOf, plainOf } from "./json-tree.ts";
export { previewOf } from "./preview.ts";
export { type TomlNode, type TomlTable, tomlTables } from "./toml-tree.ts";
export { undoEdits } from "./undo.ts";
