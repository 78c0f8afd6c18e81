import { serveWorker } from "../lib/worker-thread.ts";
import { writeBackup, type BackupOptions } from "./write-backup.ts";

serveWorker((options: BackupOptions) => writeBackup(options));
