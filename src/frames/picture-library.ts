import sharp from 'sharp';

/**
 * How libvips serves many small pictures of many callers: one thread for each, since they run side by side anyhow, and
 * no cache, since no picture comes twice.
 */
export function tunePictureLibrary(): void {
  sharp.concurrency(1);
  sharp.cache(false);
}
