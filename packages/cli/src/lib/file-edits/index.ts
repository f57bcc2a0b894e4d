export { applyEdits } from "./apply.ts";
export { buildFileEdit, type EditableFile, type FileEdit, openForEdit, type Piece } from "./file-edit.ts";
export { findMember, type JsonNode, parseJsonTree, toPlainJson } from "./json-tree.ts";
export { previewFileEdit } from "./preview.ts";
export { parseTomlTables, type TomlNode, type TomlTable } from "./toml-tree.ts";
export { undoEdits } from "./undo.ts";
