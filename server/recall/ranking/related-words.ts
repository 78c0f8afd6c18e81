import { toStems } from "./words.ts";

/** English words for the same or similar things, from everyday and work conversations. */
const groups = `
mother mom mum mommy mama | father dad daddy papa | parent mother father mom dad | sibling brother sister
child kid son daughter children baby toddler | grandparent grandmother grandfather grandma grandpa granny
husband wife spouse partner married marriage wedding | girlfriend boyfriend partner dating date
relative cousin aunt uncle nephew niece family | friend buddy pal | colleague coworker teammate boss
pet dog cat puppy kitten pup hamster parrot bird rabbit fish | dog puppy pup | cat kitten kitty
movie film cinema documentary | show series tv episode season | book novel reading author read series
song music track tune album | band concert gig musician singer | instrument guitar piano violin drum flute
artist painter musician singer | painting paint drawing art sketch | craft pottery knitting sewing
photo picture photograph image snapshot photography | car vehicle truck automobile
trip travel vacation holiday journey getaway tour | hike hiking trail trek | camp camping tent | city town
country nation abroad | home house apartment flat | flight plane airport fly
job work career occupation profession position role | company business firm startup store shop
hire hiring employ employed | fired laid lost | quit resign leave | salary pay income wage
money finance budget financial cost price fund | buy purchase bought get got order | sell sold sale | gift present
donate donation charity fundraiser | school college university degree education study class course
teacher professor instructor coach mentor | student pupil | exam test | learn study | research look investigate
food meal dish cuisine | eat ate dinner lunch breakfast meal | dessert cake cookie pie sweet
recipe cook bake cooking baking | drink coffee tea wine beer | restaurant cafe diner | allergy allergic
diet healthy nutrition | sport game football soccer basketball tennis baseball hockey
exercise workout gym fitness yoga running training | run running marathon race jog | swim swimming pool
win won victory winning champion championship | prize award trophy medal | game gaming video console
competition tournament contest match | sick ill illness disease | hurt injury injured pain
doctor hospital clinic medical physician | health wellness | stress stressed anxiety anxious relax
therapy therapist counseling counselor | happy excited glad thrilled joy | sad upset depressed down grief
afraid scared fear nervous | proud pride | die died death passed | plan planning goal aim intend
start begin began launch open opened | finish complete end done | stop quit | make made create build
help support assist | like love enjoy favorite prefer fond | hate dislike | want wish hope hoping dream
try tried attempt | meet met meeting | move moved relocate moving | visit visited went
participate join joined attend attended took | volunteer volunteering community
event gathering festival party celebration | hobby interest pastime activity passion | type kind sort
often frequently | difficult hard challenging challenge tough | problem issue trouble difficulty
idea suggestion advice recommend recommendation suggest | name called named | big large huge | small little tiny
beautiful pretty gorgeous | smart clever intelligent | old age aged birthday born | young youth
nature outdoors forest park woods mountain beach lake | beach ocean sea | mountain hill peak
garden plant flower gardening | animal wildlife | weather rain snow storm | phone mobile call
computer laptop pc | app application software | website site web page | code program programming script
bug error issue fault | database db sql | test testing | deadline due date | meeting appointment call
fix fixed repair resolve resolved solve | improve improvement enhance optimize optimise
performance speed fast latency | feature functionality | version release | user customer client
password login auth authentication sign | schedule timeline calendar plan | document documentation doc
write wrote writing | essay paper article | config configuration setting setup | deploy deployment
religion church faith spiritual god | politics political election government | military army veteran soldier
war battle | law legal lawyer | police crime | adopt adoption | pregnant pregnancy baby
`;

const related = toRelated(groups.split(/[\n|]/).map((group) => [...new Set(toStems(group))]));

function toRelated(all: readonly (readonly string[])[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const group of all)
    for (const one of group) {
      const others = found.get(one) ?? new Set();
      for (const other of group) if (other !== one) others.add(other);
      found.set(one, others);
    }
  return found;
}

const none: ReadonlySet<string> = new Set();

/** Stems in the same group as this one. */
export const findRelated = (stem: string): ReadonlySet<string> => related.get(stem) ?? none;
