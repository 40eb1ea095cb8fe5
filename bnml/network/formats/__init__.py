"""File formats of networks, one to a file.

=========  ==========================  ===================================================
`bif`      ``.bif``, ``.bif.gz``       the interchange format of the Bayesian Network Repository
`xmlbif`   ``.xmlbif``, ``.bifxml``    its successor in XML, version 0.3
`net`      ``.net``                    Hugin
`dsc`      ``.dsc``                    Microsoft's belief networks
`xdsl`     ``.xdsl``                   GeNIe and SMILE
`json`     ``.json``                   bnml's own: the only one that keeps types of labels and cut points
=========  ==========================  ===================================================

Every module has two functions: ``read(content, file)`` makes a network of the bytes of a file, whose name is used in
messages, and ``write(network)`` returns the text of one. Probabilities are written with as many digits as it takes to
read the same number back. The text formats write a label's text and read it back as text.

Any name and any label survives in any format. Where a format asks for identifiers, the file holds an identifier for
other programs to read, and beside it the true name or label (``bnml_name``, ``bnml_states``) for bnml.
"""
