"""Tools of other people's servers, by the Model Context Protocol, behind the one executor and the one
gate."""
