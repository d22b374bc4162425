// Functions that each translate the requests of a route into words. The table of routes refers to
// them.
#pragma once

#include <span>

#include "http/routes.h"

namespace laurel::http {

// Puts the values of the path, then those of the route's body and query, as the properties say.
bool FromProperties(Translation& t);

// Routes of boards and templates.
bool ListBoards(Translation& t);
bool CreateBoard(Translation& t);
bool AlterBoard(Translation& t);
bool GetTemplate(Translation& t);
bool SetTemplate(Translation& t);

// Routes of entries.
bool WriteEntries(Translation& t);
bool RemoveMembers(Translation& t);
bool ListEntries(Translation& t);
bool Among(Translation& t);
bool RankOf(Translation& t);
bool Count(Translation& t);
bool Changes(Translation& t);

// The properties of one item in the body of POST …/entries, /v1/submit and /v1/read.
std::span<const Property> EntryProperties();
std::span<const Property> SubmitProperties();
std::span<const Property> ReadProperties();

}  // namespace laurel::http
