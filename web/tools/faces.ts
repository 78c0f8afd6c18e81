import {
  Brain,
  Calculator,
  Clock,
  CloudSun,
  FileText,
  Globe,
  ListChecks,
  ScrollText,
  Search,
  type LucideIcon,
} from "lucide-react";

/** Tools that are known by a picture. */
export const faces: Readonly<Record<string, LucideIcon>> = {
  plan_research: ListChecks,
  search_web: Search,
  find_tools: Search,
  scrape_webpage: Globe,
  working_memory: Brain,
  weather: CloudSun,
  calculate: Calculator,
  now: Clock,
  read_artifact: FileText,
  recall: Search,
  summarize: ScrollText,
};
