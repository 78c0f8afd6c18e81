import { defineGroup } from "../group.ts";

/** Files of a workspace or of an MCP server. */
export const filesGroup = defineGroup(
  "files",
  `
  file, folder, director, workspace, code, script, repositor, refactor, compil, bugs?$, build, datei,
  ordner, verzeichnis
  fichier, dossier, archivo, carpeta, cartella, arquivo, pasta, файл, папк, код$
  文件, 文件夹, 代码, ファイル, フォルダ, コード, 파일, 폴더, 코드`,
);
