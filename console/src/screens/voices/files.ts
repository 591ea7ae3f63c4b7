// The files of one model, and which field of the form each goes into.

export const MODEL_FIELDS = ["modelFile", "modelFile2", "modelFile3", "modelFile4", "modelFile5", "modelFile6", "modelFile7", "modelFile8"] as const;
export type FileField = (typeof MODEL_FIELDS)[number] | "indexFile" | "imageFile" | "demoFile";

export type Files = Partial<Record<FileField, File>>;

/** Which field a file is for, by its name: the server looks at the bytes of what is a model, but has to be told what belongs to it. */
function kindOf({ name }: File): "index" | "image" | "demo" | "model" {
  if (/\.index$/i.test(name)) return "index";
  if (/\.(png|jpe?g|webp)$/i.test(name)) return "image";
  if (/\.(wav|mp3|flac)$/i.test(name)) return "demo";
  return "model";
}

/** The files with some more: of each kind the newest counts, and models take the first field that is free. */
export function withFiles(files: Files, more: File[]): Files {
  const all = { ...files };
  for (const file of more) {
    const kind = kindOf(file);
    if (kind === "index") all.indexFile = file;
    else if (kind === "image") all.imageFile = file;
    else if (kind === "demo") all.demoFile = file;
    else all[MODEL_FIELDS.find((field) => all[field] === undefined) ?? "modelFile8"] = file;
  }
  return all;
}

/** The files without one; models move up. */
export function withoutFile(files: Files, field: FileField): Files {
  const rest: Files = { ...files, [field]: undefined };
  const models = MODEL_FIELDS.map((one) => rest[one]).filter((file) => file !== undefined);
  MODEL_FIELDS.forEach((one, i) => (rest[one] = models[i]));
  return Object.fromEntries(Object.entries(rest).filter(([, file]) => file !== undefined));
}
