import { attachmentLimits, imageTypes } from "../../../protocol/attachment-limits.ts";

/** Longer sides are made smaller by the providers themselves. */
const SIDE = 2048;
const QUALITY = 0.9;

/** A photograph that is larger than models take, made smaller; anything else as it is. */
export async function shrinkPicture(file: File): Promise<{ readonly file: Blob; readonly name: string }> {
  const same = { file, name: file.name };
  const isPicture = (imageTypes as readonly string[]).includes(file.type);
  if (!isPicture || file.size <= attachmentLimits.imageBytes) return same;
  try {
    const bitmap = await createImageBitmap(file);
    const scale = Math.min(1, SIDE / Math.max(bitmap.width, bitmap.height));
    const canvas = new OffscreenCanvas(Math.ceil(bitmap.width * scale), Math.ceil(bitmap.height * scale));
    const context = canvas.getContext("2d");
    if (!context) return same;
    // A photograph has no clear places; a drawing that has would turn black there.
    context.fillStyle = "white";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    bitmap.close();
    const smaller = await canvas.convertToBlob({ type: "image/jpeg", quality: QUALITY });
    return { file: smaller, name: file.name.replace(/(\.\w+)?$/, ".jpg") };
  } catch {
    // What the browser cannot draw the server looks at, and says what is wrong with it.
    return same;
  }
}
