import { Braces, File, FileCode2, FileImage, FileText, Paintbrush, type LucideIcon } from "lucide-react";

const icons: Readonly<Record<string, LucideIcon>> = {
  ts: FileCode2,
  tsx: FileCode2,
  js: FileCode2,
  jsx: FileCode2,
  html: FileCode2,
  css: Paintbrush,
  json: Braces,
  md: FileText,
  txt: FileText,
  svg: FileImage,
  png: FileImage,
  jpg: FileImage,
  webp: FileImage,
  gif: FileImage,
};

type Props = { readonly path: string; readonly className?: string };

export const FileIcon = ({ path, className = "size-4" }: Props) => {
  const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  const known = Object.hasOwn(icons, ending) ? icons[ending] : undefined;
  const Icon = known ?? File;
  return <Icon aria-hidden="true" className={`${className} flex-none opacity-70`} />;
};
